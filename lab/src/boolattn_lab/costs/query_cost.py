"""The cost and effect of acting on exclusions, on real queries, hardly any of which exclude anything."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import msgspec
import numpy as np
from rich.console import Console
from rich.progress import track
from sentence_transformers import SentenceTransformer

from boolattn.backbones.retrieval_model import RetrievalModel
from boolattn.reading.learned import LearnedReader, load_reader
from boolattn.reading.screen import may_exclude
from boolattn_lab.costs.overhead import medians_of
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.jsonl import Filled, read_jsonl

PER_SOURCE, SAMPLE, SEED = 1000, 1000, 0
BATCHES = {1: 64, 32: 256}  # batch size -> queries per timed call; at least 18 calls


@dataclass(frozen=True, slots=True)
class SourceChange:
    """A model's effect on the queries of one source.

    Attributes:
        queries: Number of queries.
        read: Number of queries with an exclusion that the model acts on.
        changed: Number of queries whose vector differs from the backbone's in any bit.
    """

    queries: int
    read: int
    changed: int


@dataclass(frozen=True, slots=True)
class QueryCost:
    """The results.

    Attributes:
        sources: The model's effect on the queries of each source.
        ratios: For each batch size, the time of ``encode_query`` divided by that of the backbone's ``encode``.
        screened: Share of queries that the screen passes to the learned reader.
        screen_microseconds: Median time of the screen per query.
        reader_milliseconds: Median time of the learned reader per query, on one thread.
    """

    sources: dict[str, SourceChange]
    ratios: dict[int, float]
    screened: float
    screen_microseconds: float
    reader_milliseconds: float


class _RealQuery(msgspec.Struct):
    source: Filled
    query: Filled


def measure_query_cost(model: RetrievalModel, data: DataFolder, seconds: float) -> QueryCost:
    """Encode real queries with the model and with its backbone, in turn."""
    rows = _shuffled(data)
    by_source: dict[str, list[str]] = {}
    for row in rows:
        by_source.setdefault(row.source, []).append(row.query)
    mixed = [row.query for row in rows[:SAMPLE]]
    # Standard output is reserved for results.
    shown = track(sorted(by_source), "Comparing vectors", console=Console(stderr=True))
    return QueryCost(
        sources={source: change_of(model, by_source[source][:PER_SOURCE]) for source in shown},
        ratios={size: _ratio(model, mixed[:count], size, seconds / len(BATCHES)) for size, count in BATCHES.items()},
        screened=float(np.mean([may_exclude(row.query) for row in rows])),
        screen_microseconds=1e6 * _median_seconds(may_exclude, mixed),
        reader_milliseconds=_reader_milliseconds([query for query in mixed if may_exclude(query)]),
    )


def real_queries(data: DataFolder) -> list[str]:
    """Return queries of all sources, in random order."""
    return [row.query for row in _shuffled(data)]


def _shuffled(data: DataFolder) -> list[_RealQuery]:
    rows = list(read_jsonl(data.path / "real-queries" / "queries.jsonl.zst", _RealQuery, data.skip))
    random.Random(SEED).shuffle(rows)
    return rows


def change_of(model: RetrievalModel, queries: Sequence[str]) -> SourceChange:
    """Compare a model's vectors with its backbone's, bit by bit."""
    size = max(BATCHES)
    changed = (_encode_queries(model, queries, size) != _encode(model.document_encoder(), queries, size)).any(axis=1)
    readings = (model.options.applied(each) for each in model.options.read(queries, screen="exclusions"))
    return SourceChange(len(queries), sum(bool(each.exclusions) for each in readings), int(changed.sum()))


def _ratio(model: RetrievalModel, queries: Sequence[str], size: int, seconds: float) -> float:
    bare = model.document_encoder()
    calls = {"bare": lambda: _encode(bare, queries, size), "ours": lambda: _encode_queries(model, queries, size)}
    medians = medians_of(calls, seconds)
    return medians["ours"] / medians["bare"]


def _reader_milliseconds(queries: Sequence[str]) -> float:
    reader = LearnedReader.load(load_reader().folder, threads=1)
    reader.read(queries)  # warm up
    return 1000 * _median_seconds(lambda query: reader.read([query]), queries)


def _median_seconds(call: Callable[[str], object], queries: Sequence[str]) -> float:
    times = []
    for query in queries:
        start = time.perf_counter()
        call(query)
        times.append(time.perf_counter() - start)
    return median(times)


def _encode(model: SentenceTransformer, queries: Sequence[str], size: int) -> Any:
    """Encode in calls of one batch each, as a search service would."""
    starts = range(0, len(queries), size)
    return np.concatenate([model.encode(list(queries[at : at + size]), show_progress_bar=False) for at in starts])


def _encode_queries(model: RetrievalModel, queries: Sequence[str], size: int) -> Any:
    starts = range(0, len(queries), size)
    return np.concatenate([model.encode_query(list(queries[at : at + size]), show_progress_bar=False) for at in starts])
