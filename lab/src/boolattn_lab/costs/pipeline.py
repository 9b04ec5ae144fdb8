"""The quality and cost of each stage of a search, measured on a benchmark with an index."""

import hashlib
import json
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import torch
from ir_measures import RR, R, nDCG
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from boolattn.backbones.document_encoder import BATCH, arithmetic_of, similarity_of
from boolattn.retrieval.corpus.documents import survey
from boolattn.retrieval.index.protocol import Hit, Index, IndexDescription, Rows
from boolattn.retrieval.search.searcher import Searcher, SearchSettings
from boolattn.retrieval.shards.encoding import SHARD_DOCUMENTS, encode_corpus
from boolattn_lab.benchmarks.evaluate import Outcome, evaluate
from boolattn_lab.benchmarks.measures import Ranking, Run, violation
from boolattn_lab.benchmarks.report import Report
from boolattn_lab.benchmarks.systems import DenseRetriever, Documents
from boolattn_lab.benchmarks.tasks import RetrievalTask

ROUNDS = 3

DEPTH = 100  # of rankings: the deepest cutoff of any measure
MEASURES = (R @ 20, R @ 100, nDCG @ 10)
MILLISECONDS = "ms"
STAGES = {
    "dense": SearchSettings(plan=False),
    "hybrid": SearchSettings(plan=False, text=True),
    "dense + plan": SearchSettings(verify=False),
    "hybrid + plan": SearchSettings(text=True, verify=False),
    "dense + plan + verification": SearchSettings(),
    "hybrid + plan + verification": SearchSettings(text=True),
}
"""The configurations measured in addition to BM25. Without a plan, the model is its plain backbone."""
BASES = {name: "hybrid" for name in STAGES if name.startswith("hybrid +")}
"""The configurations that are also compared with plain hybrid search; all are compared with the first."""


def encode_ratio(model: SentenceTransformer, documents: Sequence[str]) -> float:
    """Return the throughput of encoding into a folder divided by that of a bare ``SentenceTransformer.encode`` loop.

    Both encode the same texts, with the same batch size and precision, in turn; the result is a median of three pairs.
    Ours also reads the corpus, twice, and writes the shards. Neither includes loading and fingerprinting the model.
    """
    with TemporaryDirectory() as name:
        corpus = Path(name) / "corpus.jsonl"
        rows = ({"id": str(number), "text": text} for number, text in enumerate(documents))
        corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        _bare(model, documents[:BATCH])  # warm up
        times = [(_bare(model, documents), _ours(model, corpus, Path(name) / str(number))) for number in range(ROUNDS)]
    return statistics.median(bare / ours for bare, ours in times)


def _bare(model: SentenceTransformer, documents: Sequence[str]) -> float:
    begun = time.perf_counter()
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=arithmetic_of(model) == "bf16"):
        for start in range(0, len(documents), SHARD_DOCUMENTS):
            texts = list(documents[start : start + SHARD_DOCUMENTS])
            model.encode(texts, batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False)
    return time.perf_counter() - begun


def _ours(model: SentenceTransformer, corpus: Path, folder: Path) -> float:
    begun = time.perf_counter()
    found = survey(corpus)
    surveyed = time.perf_counter() - begun
    return surveyed + encode_corpus(found, model, folder, name="measured", progress=False).seconds


class PipelineRetriever:
    """Searches an existing index, one query at a time, as for a user.

    Attributes:
        name: The name of its stages.
        milliseconds: Time of each query in the last ranking.
    """

    def __init__(self, name: str, ask: Callable[[str, int], Sequence[Hit]]) -> None:
        """Store a function that returns the k best hits of a query."""
        self.name, self._ask = name, ask
        self.milliseconds: dict[str, float] = {}

    def rank(self, queries: Mapping[str, str], documents: Documents, k: int, document_tokens: int) -> Run:
        """Return at most ``DEPTH`` documents per query: more would exceed normal use of an index."""
        run: dict[str, Ranking] = {}
        self._ask(next(iter(queries.values())), min(k, DEPTH))  # warm up
        for key, query in queries.items():
            start = perf_counter()
            hits = self._ask(query, min(k, DEPTH))
            self.milliseconds[key] = 1000 * (perf_counter() - start)
            # Fused scores are often equal, and measures would sort such hits by ID instead of as a user sees them.
            run[key] = Ranking([hit.doc_id for hit in hits], range(len(hits), 0, -1))
        return run


def measure_pipeline(task: RetrievalTask, model: SentenceTransformer, index: Index) -> Iterator[Outcome]:
    """Yield the results of BM25, if the index supports it, and of every configuration of stages."""
    systems = [
        PipelineRetriever(name, Searcher(model, index, settings=settings, documents=task.documents_are).rank)
        for name, settings in STAGES.items()
    ]
    if index.has_text:
        systems.insert(1, PipelineRetriever("bm25", index.search_text))
    reciprocal = [measure for measure in task.measures if measure == RR]
    measures = [*MEASURES, *reciprocal, *([violation @ 20] if task.negated else [])]
    # "dense" is the plain model; the task itself need not compare with it.
    asked = replace(task, measures=measures, negated_measures=(), compare_with_bare=False)
    for system in systems:
        outcome = evaluate(asked, system)
        values = {**outcome.values, MILLISECONDS: system.milliseconds}
        report = Report.of(task.name, system.name, values, task.template_of, task.slice_of)
        yield Outcome(report, values, outcome.run)


def index_documents(index: Index, model: SentenceTransformer, name: str, task: RetrievalTask) -> None:
    """Index a benchmark's documents; existing blocks are skipped."""
    dense = DenseRetriever(name, model)
    dimension = dense.model.get_embedding_dimension()
    if dimension is None:
        raise ValueError(f"{name} does not report the dimension of its vectors, so it cannot be indexed")
    index.create(IndexDescription(dense.fingerprint, name, dimension, similarity_of(dense.model, name)))
    there, written = index.shards(), False
    for ids, texts, vectors in blocks_with_texts(dense, task.documents(), task.document_tokens):
        shard = hashlib.blake2b("\0".join([*ids, *texts]).encode(), digest_size=16).hexdigest()
        if there.get(shard) != len(ids):
            index.upsert(Rows(ids, [""] * len(ids), texts, vectors, [{}] * len(ids), shard))
            written = True
    if written:
        index.settle()


def blocks_with_texts(
    dense: DenseRetriever, documents: Iterable[tuple[str, str]], document_tokens: int
) -> Iterator[tuple[list[str], list[str], NDArray[np.float32]]]:
    """Yield IDs, texts and vectors of documents in batches."""
    waiting: dict[str, str] = {}

    def remembered() -> Iterator[tuple[str, str]]:
        for doc_id, text in documents:
            waiting[doc_id] = text
            yield doc_id, text

    for ids, vectors in dense.blocks(remembered(), document_tokens):
        yield ids, [waiting.pop(doc_id) for doc_id in ids], np.asarray(vectors, np.float32)
