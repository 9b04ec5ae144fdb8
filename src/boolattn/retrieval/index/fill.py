"""Load a folder of encoded documents into an index."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from boolattn.reading.reading import Documents
from boolattn.retrieval.index.description import MissingIndexError
from boolattn.retrieval.index.protocol import Index, IndexDescription, Rows, WrongIndexError
from boolattn.retrieval.shards.manifest import Manifest, Shard
from boolattn.retrieval.shards.shard_files import BadShardError, read_shard

WRITTEN_AT_ONCE = 10_000
REMOVED_UNASKED = 0.1
"""Documents that are not in the folder are removed without --remove up to this share of the index."""


class UnfinishedIndexError(RuntimeError):
    """After writing, the index does not match the folder."""


class ManyRemovalsError(ValueError):
    """Too many documents of the index are not in the folder to remove them without ``remove``."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """The result of ``index_folder``.

    Attributes:
        documents: Number of documents in the index.
        written: Number of documents written in this run.
        removed: Number of documents removed because their shard is not in the folder.
        documents_are: What the documents are declared to be; None if undeclared.
    """

    documents: int
    written: int
    removed: int
    documents_are: Documents | None = None


def index_folder(
    folder: str | Path,
    index: Index,
    *,
    documents: Documents | None = None,
    remove: bool = False,
    progress: bool = True,
) -> Indexed:
    """Make an index match a folder: write its documents and remove all others.

    Shards that are already in the index are skipped: an interrupted run resumes, and a repeated run does nothing. A new
    index appears only when it is complete; an existing one is changed in place. Only one run at a time may write to an
    index; others get ``BusyError``.

    Args:
        folder: A folder from ``boolattn encode``.
        index: The index to write to; one with another model's vectors is refused.
        documents: What the documents are, ``"things"`` or ``"pages"``, which decides which exclusions searches act on;
            None keeps the folder's declaration, or else that of the existing index.
        remove: Whether to remove documents that are not in the folder even if they are more than a tenth of the index;
            otherwise, that raises ``ManyRemovalsError``, and nothing is written.
        progress: Whether to show a progress bar.
    """
    folder, manifest = Path(folder), Manifest.read(folder)
    with index.write_lock():
        try:
            index.describe()
            new = False
        except MissingIndexError:
            new = True
        target = index.unpublished() if new else index
        declared = documents or manifest.documents_are or _declared(target)
        _create(target, replace(manifest.description(), documents=declared), replaceable=target is not index)
        if not (remove or new):
            _refuse_many_removals(folder, manifest, target)
        # Not earlier: a refused run must change nothing.
        if declared is not None and target.describe().documents != declared:
            target.declare(declared)
        done = _fill(folder, manifest, target, progress)
        if new:
            index.publish()
        return replace(done, documents_are=declared)


def _create(index: Index, description: IndexDescription, replaceable: bool) -> None:
    """Create the index if it does not exist.

    Args:
        index: The index.
        description: The required description.
        replaceable: Whether an index with other vectors may be dropped, because it was never published.
    """
    try:
        index.create(description)
    except WrongIndexError:
        if not replaceable:
            raise
        index.drop()  # left by an unfinished run with other vectors
        index.create(description)


def _fill(folder: Path, manifest: Manifest, index: Index, progress: bool) -> Indexed:
    there, written = index.shards(), 0
    for shard in manifest.shards:
        if there.get(shard.sha256, 0) > shard.documents:
            index.delete_shard(shard.sha256)  # concurrent runs wrote some documents twice
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
    # Not earlier: documents that moved to another shard must never be missing.
    removed = _remove_others(manifest, index)
    index.settle()
    _verify(manifest, index)
    return Indexed(manifest.documents, written, removed)


def _declared(index: Index) -> Documents | None:
    """Return what an existing index declares its documents to be."""
    try:
        return index.describe().documents
    except WrongIndexError:  # missing, or not created by boolattn, which ``create`` reports
        return None


def _checked(folder: Path, shard: Shard) -> Rows:
    rows = read_shard(folder / shard.file, shard.sha256)
    if len(rows) != shard.documents:
        raise BadShardError(
            f"{folder / shard.file} has {len(rows)} documents, but the manifest says {shard.documents}: run boolattn "
            f"encode again with the same corpus, model and settings, which repairs the folder"
        )
    return rows


def _batches(rows: Rows) -> Iterator[Rows]:
    for start in range(0, len(rows), WRITTEN_AT_ONCE):
        some = slice(start, start + WRITTEN_AT_ONCE)
        yield Rows(
            rows.ids[some], rows.titles[some], rows.texts[some], rows.vectors[some], rows.metadata[some], rows.shard
        )


def _others(manifest: Manifest, there: Mapping[str, int]) -> dict[str, int]:
    """Return the shards of an index that are not in the folder, with their numbers of documents."""
    known = {shard.sha256 for shard in manifest.shards}
    return {shard: documents for shard, documents in there.items() if shard not in known}


def _refuse_many_removals(folder: Path, manifest: Manifest, index: Index) -> None:
    """Raise if making the index match the folder would remove many documents; nothing is written here."""
    there = index.shards()
    others, documents = _others(manifest, there), sum(there.values())
    removed, allowed = sum(others.values()), REMOVED_UNASKED * documents
    if removed <= allowed:  # most runs need not compare IDs
        return
    for shard in manifest.shards:
        if there.get(shard.sha256) != shard.documents:
            moved = index.shards_of(_checked(folder, shard).ids)  # these are replaced, not removed
            removed -= sum(count for each, count in moved.items() if each in others)
    if removed > allowed:
        raise ManyRemovalsError(
            f"the index has {documents} documents, and {removed} of them are not in the folder: to remove them, "
            f"run this again with --remove (in Python, remove=True); to keep them, use another --index"
        )


def _remove_others(manifest: Manifest, index: Index) -> int:
    others = _others(manifest, index.shards())
    for shard in others:
        index.delete_shard(shard)
    return sum(others.values())


def _verify(manifest: Manifest, index: Index) -> None:
    count, there = index.count(), index.shards()
    if count > manifest.documents:
        raise UnfinishedIndexError(
            f"the index has {count} documents, the folder {manifest.documents}: another process is writing to it; "
            f"rerun when it has finished"
        )
    short = [
        f"{shard.file} ({there.get(shard.sha256, 0)} of {shard.documents})"
        for shard in manifest.shards
        if there.get(shard.sha256, 0) < shard.documents
    ]
    if short:
        raise UnfinishedIndexError(
            f"documents are missing from the index: {', '.join(short[:5])}{', ...' if len(short) > 5 else ''}. Rerun; "
            f"if they stay missing, several shards contain the same IDs: IDs must be unique"
        )


def _bar(shown: bool) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), disable=not shown)
