"""LanceDB's IVF_PQ: the index to switch to when a graph does not fit in memory. Imports no torch."""

import math
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boolattn.retrieval.shards.parquet import arrow
from boolattn_lab.costs.resources import MB, cpu_seconds, disk_mb, in_new_process, memory_mb
from boolattn_lab.costs.scale.searching import K, Neighbours, percentiles, recall, throughput
from boolattn_lab.costs.scale.vectors import ScaledVectors, Vectors

PROBES = (10, 40, 160)
USUAL = 40
CODE_BYTES = 48
"""Bytes that are left of a vector of 384 dimensions: one for eight numbers."""
RESCORED = 10
"""Candidates per hit that are compared again with their full vectors, which are read from disk."""
ITERATIONS = 10
"""Of k-means: LanceDB's 50 take minutes at a million vectors on two cores."""


def measure_ivf_pq(
    folder: Path, vectors: ScaledVectors, size: int, queries: Mapping[str, Vectors], exact: Mapping[str, Neighbours]
) -> dict[str, Any]:
    """Build the index with LanceDB's own client, search with several numbers of partitions, and drop it."""
    return in_new_process(_measure, folder, vectors, size, queries, exact)


def _measure(
    folder: Path, vectors: ScaledVectors, size: int, queries: Mapping[str, Vectors], exact: Mapping[str, Neighbours]
) -> dict[str, Any]:
    import lancedb
    from lancedb.index import IvfPq

    database: Any = lancedb.connect(folder)
    table = _written(database, vectors, size)
    try:
        dimension, partitions = vectors.base.shape[1], max(1, math.isqrt(size))
        codes = min(CODE_BYTES, dimension // 8)
        how = IvfPq("cosine", partitions, num_sub_vectors=codes, max_iterations=ITERATIONS)
        begun, used = time.perf_counter(), cpu_seconds(os.getpid())
        table.create_index("vector", config=how)
        seconds, cpu, before = time.perf_counter() - begun, cpu_seconds(os.getpid()) - used, memory_mb("self", "VmRSS")
        [index] = table.list_indices()
        found: dict[str, Any] = {
            "vectors": size,
            "real": min(vectors.real, size),
            "partitions": partitions,
            "index_seconds": seconds,
            "build_cpu_seconds": cpu,
            "index_mb": (index.size_bytes or 0) / MB,
            "disk_mb": disk_mb(folder),
            "probes": {},
        }
        for probes in PROBES:
            found["probes"][str(probes)] = {
                kind: _searched(table, some, exact[kind], probes) for kind, some in queries.items()
            }
        found |= throughput(lambda vector: _ask(table, vector, USUAL), queries["plain"], os.getpid())
        return found | {"memory_mb": memory_mb("self", "VmRSS") - before}
    finally:
        database.drop_table(_name(size))


def _written(database: Any, vectors: ScaledVectors, size: int) -> Any:
    pyarrow, table = arrow(), None
    for numbers, some in vectors.blocks(size):
        lists = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(some.reshape(-1)), some.shape[1])
        rows = pyarrow.table({"id": [str(number) for number in numbers], "vector": lists})
        if table is None:
            table = database.create_table(_name(size), rows, mode="overwrite")  # an interrupted run may have left one
        else:
            table.add(rows)
    return table


def _name(size: int) -> str:
    return f"ivf_pq_{size}"  # two runs with different sizes must not share a table


def _searched(table: Any, vectors: Vectors, exact: Neighbours, probes: int) -> dict[str, float]:
    found, seconds = [], []
    for vector in vectors:
        begun = time.perf_counter()
        found.append(_ask(table, vector, probes))
        seconds.append(time.perf_counter() - begun)
    return {"recall": recall(found, exact["none"]), **percentiles(seconds)}


def _ask(table: Any, vector: Vectors, probes: int) -> list[str]:
    query = table.search(vector, vector_column_name="vector").distance_type("cosine").nprobes(probes)
    ids: list[str] = query.refine_factor(RESCORED).select(["id", "_distance"]).limit(K).to_arrow()["id"].to_pylist()
    return ids
