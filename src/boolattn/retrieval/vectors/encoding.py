"""From a corpus to a folder of vectors, which can be stopped at any moment and resumed."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text
from sentence_transformers import SentenceTransformer

from boolattn.encoders.document_encoder import arithmetic_of, similarity_of
from boolattn.encoders.model_parts import document_encoder
from boolattn.encoders.storage.fingerprint import document_fingerprint, is_document_fingerprint
from boolattn.retrieval.corpus.documents import Corpus, CorpusReader
from boolattn.retrieval.vectors.encode_job import EncodeJob, Origin, noted_origin
from boolattn.retrieval.vectors.manifest import MANIFEST_FILE, Manifest, Precision, Shard
from boolattn.retrieval.vectors.shards import read_shard

SHARD_DOCUMENTS = 8192  # what a killed run loses at most; with 384 dimensions, a file of some 15 MB

Run: TypeAlias = Callable[[EncodeJob, Sequence[int], Callable[[int], None]], Iterator[tuple[int, Shard]]]
"""Encodes the numbered shards of a job, somewhere, and reports how many documents are done."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """What was made.

    Attributes:
        manifest: What the folder holds.
        documents: How many were encoded by this run, not by an earlier one.
        seconds: How long that took.
    """

    manifest: Manifest
    documents: int
    seconds: float


def encode_corpus(
    corpus: Corpus,
    model: SentenceTransformer,
    folder: str | Path,
    *,
    name: str,
    precision: Precision = "float32",
    shard_documents: int = SHARD_DOCUMENTS,
    run: Run | None = None,
    progress: bool = True,
) -> Encoded:
    """Encode a corpus into a folder, or resume one; however often it was stopped, it ends with the same bytes.

    Args:
        corpus: The documents, as ``survey`` found them.
        model: A sentence-transformers model; of a Boolean one, its document tower.
        folder: Where to; one that was begun with another model, precision or corpus is refused.
        name: What the model is called, for people.
        precision: How to store the vectors.
        shard_documents: How many documents a file holds.
        run: Where to encode; here, if not said.
        progress: Whether to show how far it is.
    """
    folder, model = Path(folder), document_encoder(model)
    if folder.resolve() == corpus.path.resolve():
        raise ValueError(f"{folder} is the corpus: its vectors, which are files too, need a folder of their own")
    folder.mkdir(parents=True, exist_ok=True)
    similarity = similarity_of(model, name)
    origin = Origin(_fingerprint(model, folder), arithmetic_of(model), precision)
    job = EncodeJob(corpus, folder, origin, similarity, shard_documents)
    shards = job.settled()
    missing = [number for number in range(job.shards) if number not in shards]
    if missing:
        (folder / MANIFEST_FILE).unlink(missing_ok=True)  # a folder with a manifest is complete
    begun, kept = time.perf_counter(), sum(shard.documents for shard in shards.values())
    with _progress(progress) as bar:
        task = bar.add_task("Encoding", total=corpus.documents, completed=kept)
        for number, shard in (run or _here(model))(job, missing, lambda documents: bar.advance(task, documents)):
            shards[number] = shard
    seconds = time.perf_counter() - begun
    manifest = Manifest(
        model=name,
        fingerprint=origin.fingerprint,
        dimension=read_shard(job.path(0)).vectors.shape[1],
        similarity=similarity,
        precision=precision,
        documents=corpus.documents,
        metadata=corpus.metadata,
        shards=tuple(shards[number] for number in range(job.shards)),
    )
    for left in job.leftovers():
        left.unlink(missing_ok=True)
    manifest.write(folder)
    return Encoded(manifest, corpus.documents - kept, seconds)


def _fingerprint(model: SentenceTransformer, folder: Path) -> str:
    """Return the model's fingerprint; a folder that was begun with the former kind keeps it."""
    noted = {origin.fingerprint for path in folder.glob("shard-*.parquet") if (origin := noted_origin(path))}
    if len(noted) == 1 and is_document_fingerprint(found := noted.pop(), model):
        return found
    return document_fingerprint(model)


def _here(model: SentenceTransformer) -> Run:
    def run(job: EncodeJob, numbers: Sequence[int], advance: Callable[[int], None]) -> Iterator[tuple[int, Shard]]:
        reader = CorpusReader(job.corpus)
        for number in numbers:
            yield number, job.encode(model, reader, number, advance)

    return run


class _Speed(ProgressColumn):
    """Documents per second, of late."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f} documents/s" if task.speed else "")


def _progress(shown: bool) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Speed(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        speed_estimate_period=300,  # longest texts come first in each shard, so look back over several
        disable=not shown,
    )
