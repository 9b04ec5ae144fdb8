"""From a folder of encoded documents into an index."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from boolattn.reading.reading import Documents
from boolattn.retrieval.index.protocol import Index, Rows, WrongIndexError
from boolattn.retrieval.vectors.manifest import Manifest, Shard
from boolattn.retrieval.vectors.shards import BadShardError, read_shard

WRITTEN_AT_ONCE = 10_000


class UnfinishedIndexError(RuntimeError):
    """After all was written, the index does not hold what the folder does."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """What was done: documents in the index, written now, and removed because their shard is not in the folder."""

    documents: int
    written: int
    removed: int


def index_folder(
    folder: str | Path, index: Index, *, documents: Documents | None = None, progress: bool = True
) -> Indexed:
    """Make an index hold the documents of a folder, and no others.

    Shards that it holds already are skipped, so that a run that was stopped, at whatever moment, resumes, and one that
    is repeated does nothing.

    Args:
        folder: What ``boolattn encode`` made.
        index: Where to; an index of another model's vectors is refused.
        documents: What the documents are, ``"things"`` or ``"pages"``, for searches to know which exclusions to act on;
            None leaves it to the search, or to what an index that is there already says.
        progress: Whether to show it.
    """
    folder, manifest = Path(folder), Manifest.read(folder)
    index.create(replace(manifest.description(), documents=documents or _declared(index)))
    there, written = index.shards(), 0
    for shard in manifest.shards:
        if there.get(shard.sha256, 0) > shard.documents:
            index.delete_shard(shard.sha256)  # two runs at once wrote some of it twice
            del there[shard.sha256]
    with _bar(progress) as bar:
        task = bar.add_task("indexing", total=manifest.documents)
        for shard in manifest.shards:
            if there.get(shard.sha256) == shard.documents:
                bar.advance(task, shard.documents)
                continue
            for batch in _batches(_checked(folder, shard)):
                index.upsert(batch)
                written += len(batch)
                bar.advance(task, len(batch))
    # Only now, so that documents that moved into another shard were never missing.
    removed = _remove_others(manifest, index)
    index.settle()
    _verify(manifest, index)
    return Indexed(manifest.documents, written, removed)


def _declared(index: Index) -> Documents | None:
    """Return what an index that is there already says of its documents."""
    try:
        return index.describe().documents
    except WrongIndexError:  # it is not there, or is not ours, which ``create`` reports
        return None


def _checked(folder: Path, shard: Shard) -> Rows:
    rows = read_shard(folder / shard.file)
    if rows.shard != shard.sha256:
        raise BadShardError(
            f"{folder / shard.file} is not the file that the manifest names: damaged or changed. Remove it and run "
            f"boolattn encode again, which makes that shard anew"
        )
    return rows


def _batches(rows: Rows) -> Iterator[Rows]:
    for start in range(0, len(rows), WRITTEN_AT_ONCE):
        some = slice(start, start + WRITTEN_AT_ONCE)
        yield Rows(
            rows.ids[some], rows.titles[some], rows.texts[some], rows.vectors[some], rows.metadata[some], rows.shard
        )


def _remove_others(manifest: Manifest, index: Index) -> int:
    known = {shard.sha256 for shard in manifest.shards}
    others = {shard: documents for shard, documents in index.shards().items() if shard not in known}
    for shard in others:
        index.delete_shard(shard)
    return sum(others.values())


def _verify(manifest: Manifest, index: Index) -> None:
    count, there = index.count(), index.shards()
    if count > manifest.documents:
        raise UnfinishedIndexError(
            f"the index holds {count} documents, the folder {manifest.documents}: somebody else writes to it. Run it "
            f"again when they are done, which fixes it"
        )
    short = [
        f"{shard.file} ({there.get(shard.sha256, 0)} of {shard.documents})"
        for shard in manifest.shards
        if there.get(shard.sha256, 0) < shard.documents
    ]
    if short:
        raise UnfinishedIndexError(
            f"documents are missing from the index: {', '.join(short[:5])}{', ...' if len(short) > 5 else ''}. Run it "
            f"again; if they stay missing, the same ids are in several shards: give every document an id of its own"
        )


def _bar(shown: bool) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), disable=not shown)
