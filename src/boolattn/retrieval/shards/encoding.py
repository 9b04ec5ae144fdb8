"""Encode a corpus into a folder of vectors; can be interrupted at any time and resumed."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text
from sentence_transformers import SentenceTransformer

from boolattn.backbones.document_encoder import arithmetic_of, similarity_of
from boolattn.backbones.retrieval_model import document_encoder
from boolattn.backbones.storage.fingerprint import document_fingerprint
from boolattn.reading.reading import Documents
from boolattn.retrieval.corpus.documents import Corpus, CorpusReader
from boolattn.retrieval.shards.durable import atomic_write
from boolattn.retrieval.shards.encode_job import EncodeJob, Origin
from boolattn.retrieval.shards.manifest import (
    DECLARED_FILE,
    MANIFEST_FILE,
    BadManifestError,
    Manifest,
    Precision,
    Shard,
)
from boolattn.retrieval.shards.shard_files import read_shard
from boolattn.retrieval.write_lock import write_lock

LOCK_FILE = "encoding.lock"
SHARD_DOCUMENTS = 8192  # lost at most by a killed run; about 15 MB per file at 384 dimensions

Run: TypeAlias = Callable[[EncodeJob, Sequence[int], Callable[[int], None]], Iterator[tuple[int, Shard]]]
"""Encodes shards of a job, by number, and reports how many documents are done."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """The result.

    Attributes:
        manifest: The contents of the folder.
        documents: Number of documents encoded in this run.
        seconds: Time taken.
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
    documents_are: Documents | None = None,
    precision: Precision = "float32",
    shard_documents: int = SHARD_DOCUMENTS,
    run: Run | None = None,
    progress: bool = True,
) -> Encoded:
    """Encode a corpus into a folder, or resume; interruptions do not change the resulting bytes.

    Args:
        corpus: The corpus, from ``survey``.
        model: A sentence-transformers model; for a Boolean model, its document tower.
        folder: The output folder; one that was started with another model, precision or corpus is refused.
        name: The model's name, for display.
        documents_are: What the documents are, ``"things"`` or ``"pages"`` about them, which decides which exclusions
            searches act on; None keeps the folder's declaration.
        precision: How to store the vectors.
        shard_documents: Number of documents per file.
        run: Encodes the shards; by default, in this process.
        progress: Whether to show progress.
    """
    folder, model = Path(folder), document_encoder(model)
    if folder.resolve() == corpus.path.resolve():
        raise ValueError(f"{folder} is the corpus: write the vectors to another folder")
    similarity = similarity_of(model, name)
    folder.mkdir(parents=True, exist_ok=True)
    with write_lock(folder / LOCK_FILE, str(folder)):
        origin = Origin(document_fingerprint(model), arithmetic_of(model), precision)
        job = EncodeJob(corpus, folder, origin, similarity, shard_documents)
        return _encode(job, run or _here(model), name, documents_are or _declared(folder), progress)


def _encode(job: EncodeJob, run: Run, name: str, documents_are: Documents | None, progress: bool) -> Encoded:
    """Encode missing shards and write the manifest; the caller must hold the folder's lock."""
    corpus, folder, shards = job.corpus, job.folder, job.settled()
    missing = [number for number in range(job.shards) if number not in shards]
    if missing:
        if documents_are is not None:
            with atomic_write(folder / DECLARED_FILE) as aside:
                aside.write_text(documents_are)
        (folder / MANIFEST_FILE).unlink(missing_ok=True)  # a folder with a manifest is complete
    started, kept = time.perf_counter(), sum(shard.documents for shard in shards.values())
    with _progress(progress) as bar:
        task = bar.add_task("Encoding", total=corpus.documents, completed=kept)
        for number, shard in run(job, missing, lambda documents: bar.advance(task, documents)):
            shards[number] = shard
            corpus.require_unchanged()
    corpus.require_unchanged()
    seconds = time.perf_counter() - started
    manifest = Manifest(
        model=name,
        fingerprint=job.origin.fingerprint,
        dimension=read_shard(job.path(0)).vectors.shape[1],
        similarity=job.similarity,
        precision=job.origin.precision,
        documents=corpus.documents,
        documents_are=documents_are,
        metadata=corpus.metadata,
        shards=tuple(shards[number] for number in range(job.shards)),
    )
    for left in job.leftovers():
        left.unlink(missing_ok=True)
    manifest.write(folder)
    (folder / DECLARED_FILE).unlink(missing_ok=True)
    return Encoded(manifest, corpus.documents - kept, seconds)


def _declared(folder: Path) -> Documents | None:
    """Return what a folder, complete or not, declares its documents to be."""
    noted = folder / DECLARED_FILE
    try:
        if noted.exists():
            declared: Documents = msgspec.convert(noted.read_text(), Documents)
            return declared
        return Manifest.read(folder).documents_are
    except msgspec.ValidationError as error:
        raise ValueError(f"{noted} is damaged: run this again with --documents, which replaces it ({error})") from error
    except BadManifestError:  # unfinished, or about to be rewritten
        return None


def _here(model: SentenceTransformer) -> Run:
    def run(job: EncodeJob, numbers: Sequence[int], advance: Callable[[int], None]) -> Iterator[tuple[int, Shard]]:
        reader = CorpusReader(job.corpus)
        for number in numbers:
            yield number, job.encode(model, reader, number, advance)

    return run


class _Speed(ProgressColumn):
    """Recent documents per second."""

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
        speed_estimate_period=300,  # longest texts come first in each shard, so average over several
        disable=not shown,
    )
