"""Metrics for Prometheus, named as text-embeddings-inference names its own, and summed over all workers."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Literal, TypeAlias

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from boolattn.reading.reading import Reading

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"  # read by prometheus_client when it is imported
Stage: TypeAlias = Literal["tokenisation", "reading", "encoding", "engine", "queue", "reranking"]

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

REQUESTS = Counter("te_request_count", "Requests.", ["method", "route"])
SUCCESSES = Counter("te_request_success", "Requests that were answered with a status below 400.", ["method", "route"])
FAILURES = Counter("te_request_failure", "Requests that failed, by status.", ["method", "route", "err"])
DURATION = Histogram("te_request_duration", "Seconds from request to answer.", ["route"], buckets=_SECONDS)
QUEUE = Gauge("te_queue_size", "Texts that wait to be encoded.", multiprocess_mode="livesum")
BATCH = Histogram("te_batch_next_size", "Texts encoded together.", buckets=_SIZES)
STAGES = Histogram("boolattn_stage_seconds", "Seconds per stage.", ["stage"], buckets=_SECONDS)
QUERIES = Counter("boolattn_queries", "Queries read.", ["source"])
READINGS = Counter("boolattn_readings", "Operators of queries, each once a query.", ["operator", "source"])
EXCLUSIONS = Counter(
    "boolattn_exclusions",
    "Exclusions read, by kind, source and whether they were acted on.",
    ["kind", "source", "acted"],
)
_TEI_COUNTER = re.compile(rb"\b(te_request_(?:count|success|failure))_total\b")


@contextmanager
def timed(stage: Stage) -> Iterator[None]:
    """Measure a stage."""
    begun = perf_counter()
    try:
        yield
    finally:
        STAGES.labels(stage).observe(perf_counter() - begun)


def count_reading(reading: Reading, applied: Reading) -> None:
    """Count what was read; a query without operators counts as ``none``."""
    QUERIES.labels(reading.source).inc()
    for operator in sorted(reading.operators) or ["none"]:
        READINGS.labels(operator, reading.source).inc()
    acted = set(applied.exclusions)
    for each in reading.exclusions:
        EXCLUSIONS.labels(each.kind, reading.source, str(each in acted).lower()).inc()


def exposition() -> bytes:
    """Return all metrics as text, of all workers."""
    registry = REGISTRY
    if FOLDER_VARIABLE in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return _TEI_COUNTER.sub(rb"\1", generate_latest(registry))  # TEI's counters have no suffix


def forget_dead(workers: Iterable[int]) -> None:
    """Forget the gauges of workers that no longer run."""
    alive = set(workers)
    folder = os.environ.get(FOLDER_VARIABLE)
    for path in Path(folder).glob("gauge_live*_*.db") if folder else ():
        process = int(path.stem.rpartition("_")[2])
        if process not in alive:
            mark_process_dead(process)  # type: ignore[no-untyped-call]
