"""The cost of encoding a query, compared with the plain model: texts encoded and, if requested, time."""

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Literal, TypeAlias

from transformers import PreTrainedModel

from boolattn_lab.benchmarks.model_parts import transformers_of
from boolattn_lab.benchmarks.systems import DenseRetriever
from boolattn_lab.benchmarks.tasks import PairTask, RetrievalTask

PER_BENCHMARK = 32  # queries of each kind
BATCHES = (1, 32)
FEWEST_TIMED = 5  # batches

Kind: TypeAlias = Literal["ordinary", "excluding"]


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one kind of query.

    Attributes:
        kind: ``"excluding"`` if the model changes the vector, ``"ordinary"`` if not.
        count: Number of queries measured.
        encodings: Texts that the backbone encodes per query; the plain model encodes one. None if the model has no
            transformer, so that they cannot be counted.
        time_ratios: Batch size -> time divided by the plain model's, including reading; empty if not timed.
    """

    kind: Kind
    count: int
    encodings: float | None
    time_ratios: dict[int, float]


@dataclass(frozen=True, slots=True)
class CostSample:
    """Queries for measuring cost, by kind; only from benchmarks over pages, so that all are read the same way."""

    queries: dict[Kind, list[str]] = field(default_factory=lambda: {"ordinary": [], "excluding": []})

    def add(self, task: RetrievalTask | PairTask, changed: Collection[str]) -> None:
        """Add some queries of a benchmark."""
        if task.documents_are != "pages":
            return
        excluding = set(changed)
        found: dict[Kind, list[str]] = {"ordinary": [], "excluding": []}
        for key, text in task.queries.items():
            found["excluding" if key in excluding else "ordinary"].append(text)
        for kind, texts in found.items():
            step = max(1, len(texts) // PER_BENCHMARK)
            self.queries[kind] += texts[::step][:PER_BENCHMARK]


def measure_cost(system: DenseRetriever, sample: CostSample, seconds: float | None = None) -> list[Cost]:
    """Measure the cost of each kind of query in the sample; a kind without queries is omitted.

    Args:
        system: A dense system over pages.
        sample: The queries.
        seconds: How long to time each batch size; None skips timing.
    """
    return [
        Cost(
            kind,
            len(texts),
            _encodings(system, texts),
            {} if seconds is None else {size: _time_ratio(system, texts, size, seconds) for size in BATCHES},
        )
        for kind, texts in sample.queries.items()
        if texts
    ]


def _encodings(system: DenseRetriever, texts: Sequence[str]) -> float | None:
    transformers = transformers_of(system.queries)
    if not transformers:
        return None
    with _counting_rows(transformers[0].auto_model) as rows:  # the query tower's
        for text in texts:
            system.query_vectors([text])
    return sum(rows) / len(texts) if rows else None


@contextmanager
def _counting_rows(encoder: PreTrainedModel) -> Iterator[list[int]]:
    """Record the number of rows in each batch that an encoder receives."""
    rows: list[int] = []
    # On the embeddings: sentence-transformers calls the encoder's forward directly, which bypasses its hooks.
    embeddings = encoder.get_input_embeddings()
    handle = embeddings.register_forward_pre_hook(lambda _, inputs: rows.append(len(inputs[0])))
    try:
        yield rows
    finally:
        handle.remove()


def _time_ratio(system: DenseRetriever, texts: Sequence[str], size: int, seconds: float) -> float:
    """Encode the same batches alternately with the system and its plain model; return the median time ratio."""
    batches = [list(texts[start : start + size]) for start in range(0, len(texts), size)]
    system.query_vectors(batches[0]), system.bare_query_vectors(batches[0])  # warm up
    ratios: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(ratios) < FEWEST_TIMED:
        batch = batches[len(ratios) % len(batches)]
        started = time.perf_counter()
        system.query_vectors(batch)
        between = time.perf_counter()
        system.bare_query_vectors(batch)
        ratios.append((between - started) / (time.perf_counter() - between))
    return median(ratios)
