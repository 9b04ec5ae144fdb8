"""Search an index: recall and latency, next to the bare client. Imports no torch."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import Filter
from boolattn_lab.costs.bare_client import bare_search
from boolattn_lab.costs.resources import cpu_seconds, memory_mb
from boolattn_lab.costs.scale.place import Place
from boolattn_lab.costs.scale.vectors import Vectors

K = 100
PART = "hundredth"  # metadata field: the vector's number modulo 100
FILTERS: Mapping[str, tuple[Filter, ...]] = {
    "none": (),
    "10 %": (Filter(PART, "<", 10),),
    "1 %": (Filter(PART, "=", 0),),
}
CANDIDATES = (200, 300, 400, 800, 1600)
"""Of the graph search, to see what the same recall costs with each kind of vector; LanceDB needs two for each hit."""
ROUNDS, CLIENTS = 2, 4
Neighbours = Mapping[str, NDArray[np.int64]]
"""Filter -> numbers of the true nearest vectors, (Q, K)."""


def passes(numbers: NDArray[np.int64], name: str) -> NDArray[np.bool_]:
    """Return which vectors, by number, pass a filter."""
    part = numbers % 100
    return np.asarray({"none": part >= 0, "10 %": part < 10, "1 %": part == 0}[name])


def recall(found: Iterable[Iterable[Any]], exact: NDArray[np.int64]) -> float:
    """Return the mean share of the true neighbours (Q, K) that was found."""
    shares = [len(set(map(int, ids)) & set(true.tolist())) / len(true) for ids, true in zip(found, exact, strict=True)]
    return float(np.mean(shares))


def search(place: Place, queries: Mapping[str, Vectors], exact: Mapping[str, Neighbours]) -> dict[str, Any]:
    """Search for the K nearest of each query: with filters, next to the bare client, and with more candidates."""
    before = memory_mb("self", "VmRSS")
    index, bare = open_index(place.uri), bare_search(place.uri, "cosine")

    def ours(vector: Vectors, filters: Sequence[Filter] = ()) -> list[str]:
        return [hit.doc_id for hit in index.search(vector, K, filters)]

    for vector in queries["plain"][:20]:  # warm up: the first searches read the index from disk
        ours(vector)
        bare(vector, K)
    found: dict[str, Any] = {"searches": {}, "candidates": {}}
    for kind, vectors in queries.items():
        found["searches"][kind] = {
            name: _timed(partial(ours, filters=filters), vectors, exact[kind][name], place.process)
            for name, filters in FILTERS.items()
            if filters
        }
        found["searches"][kind]["none"] = _side_by_side(ours, bare, vectors, exact[kind]["none"])
    for candidates in CANDIDATES:
        found["candidates"][str(candidates)] = {
            kind: _timed(partial(bare, k=K, candidates=candidates), vectors, exact[kind]["none"], place.process)
            for kind, vectors in queries.items()
        }
    found |= throughput(partial(bare, k=K), np.concatenate(list(queries.values())), place.process)
    found["memory_mb"] = memory_mb("self", "VmRSS") - before
    index.close()
    return found


def _timed(
    ask: Callable[[Any], list[str]], vectors: Vectors, exact: NDArray[np.int64], process: int
) -> dict[str, float]:
    found, seconds, used = [], [], cpu_seconds(process)
    for vector in vectors:
        begun = time.perf_counter()
        found.append(ask(vector))
        seconds.append(time.perf_counter() - begun)
    cpu = 1000 * (cpu_seconds(process) - used) / len(vectors)
    return {"recall": recall(found, exact), "cpu_ms": cpu, **percentiles(seconds)}


def _side_by_side(
    ours: Callable[[Any], list[str]], bare: Callable[..., list[str]], vectors: Vectors, exact: NDArray[np.int64]
) -> dict[str, Any]:
    """Time both on the same queries in turn: what else the machine does affects both."""
    times: dict[str, list[float]] = {"ours": [], "bare": []}
    found: dict[str, list[list[str]]] = {"ours": [], "bare": []}
    for _ in range(ROUNDS):
        for vector in vectors:
            for name, ask in (("ours", ours), ("bare", partial(bare, k=K))):
                begun = time.perf_counter()
                ids = ask(vector)
                times[name].append(time.perf_counter() - begun)
                found[name].append(ids)
    twice = np.concatenate([exact] * ROUNDS)
    return {
        "recall": recall(found["ours"], twice),
        **percentiles(times["ours"]),
        "bare": {"recall": recall(found["bare"], twice), **percentiles(times["bare"])},
        "p50_over_bare": float(np.median(times["ours"]) / np.median(times["bare"])),
    }


def throughput(ask: Callable[[Any], list[str]], vectors: Vectors, process: int) -> dict[str, float]:
    """Return the queries per second of several clients on the whole machine, and the engine's CPU time per query."""
    begun, used = time.perf_counter(), cpu_seconds(process)
    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(ask, vectors))
    seconds, cpu = time.perf_counter() - begun, cpu_seconds(process) - used
    return {"queries_per_second": len(vectors) / seconds, "query_cpu_ms": 1000 * cpu / len(vectors)}


def percentiles(seconds: Sequence[float]) -> dict[str, float]:
    """Return p50 and p99 in milliseconds."""
    p50, p99 = np.percentile(seconds, [50, 99]) * 1000
    return {"p50_ms": float(p50), "p99_ms": float(p99)}
