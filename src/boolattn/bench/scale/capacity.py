"""Machines, memory and time for a number of documents, modelled from what was measured."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boolattn.bench.scale.fit import FEWEST, Curve, Shape, fit, points_of

DOCUMENTS = (10**6, 10**8, 10**9, 10**10)
RATES = (100, 10_000)
CORES, MEMORY, DISK = 16, 128e9, 4e12
"""The machine of the model: an assumption, not a measurement."""
FULL = 0.7
"""Share of memory, disk and time that is used: the rest is for building, bursts and the operating system."""
FEWEST_REPLICAS = 2  # so that one may fail
MB = 1024**2
NAMES = {
    "milvus": ("HNSW (Milvus)", "memory_mb"),
    # LanceDB's process also holds buffers of any size; what it has to hold is the index.
    "lance": ("IVF_HNSW_SQ (LanceDB)", "index_mb"),
    "ivf-pq": ("IVF_PQ (LanceDB)", "index_mb"),
}
SHAPES: Mapping[str, Shape] = {"disk_mb": "line", "query_cpu_ms": "power", "build_cpu_seconds": "power"}
DAY = 86_400


@dataclass(frozen=True)
class Layout:
    """One way to keep vectors, with what it costs.

    Attributes:
        name: The index.
        memory: Bytes per vector in memory.
        disk: Bytes per vector on disk.
        rate: Queries per second and core, by the vectors of a shard.
        build: Core-seconds to build a shard, by its vectors.
    """

    name: str
    memory: float
    disk: float
    rate: Curve
    build: Curve


@dataclass(frozen=True)
class Need:
    """What some documents need in one layout; all of it is modelled.

    Attributes:
        documents: Number of documents.
        layout: The name of the layout.
        shards: Machines that one copy of all vectors needs.
        memory_gb: Of one copy.
        disk_tb: Of one copy.
        bound: What decides the number of shards: memory or disk.
        replicas: Copies, by queries per second.
        build_hours: To build all shards at once, each on its own machine.
    """

    documents: int
    layout: str
    shards: int
    memory_gb: float
    disk_tb: float
    bound: str
    replicas: Mapping[int, int]
    build_hours: float

    @property
    def machines(self) -> dict[int, int]:
        """Machines by queries per second."""
        return {rate: self.shards * copies for rate, copies in self.replicas.items()}


def layouts(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Layout]:
    """Return the measured layouts; one that was measured at fewer than two sizes is left out.

    Args:
        results: ``lance``, ``milvus`` and ``ivf-pq`` -> their measurements.
    """
    found = []
    for key, (name, held) in NAMES.items():
        # CPU time, not seconds: other work on the machine that measured is not a cost.
        curves = {figure: _curve(results.get(key, ()), figure) for figure in (held, *SHAPES)}
        memory, disk, asking, building = curves.values()
        if memory and disk and asking and building:
            rate = Curve("power", 1000 / asking.a, min(-asking.b, 0))
            build = Curve("power", building.a, max(building.b, 1))
            found.append(Layout(name, memory.b * MB, disk.b * MB, rate, build))
    return found


def _curve(results: Sequence[Mapping[str, Any]], figure: str) -> Curve | None:
    points = points_of(results, figure)
    return fit(list(points), list(points.values()), SHAPES.get(figure, "line")) if len(points) >= FEWEST else None


def need(documents: int, layout: Layout, rates: Sequence[int] = RATES) -> Need:
    """Return what documents need in a layout, on machines of the model's size. Every query asks every shard."""
    by_memory = documents * layout.memory / (FULL * MEMORY)
    by_disk = documents * layout.disk / (FULL * DISK)
    shards = math.ceil(max(by_memory, by_disk))
    per_machine = FULL * CORES * layout.rate.at(documents / shards)
    return Need(
        documents,
        layout.name,
        shards,
        documents * layout.memory / 1e9,
        documents * layout.disk / 1e12,
        "memory" if by_memory >= by_disk else "disk",
        {rate: max(FEWEST_REPLICAS, math.ceil(rate / per_machine)) for rate in rates},
        layout.build.at(documents / shards) / CORES / 3600,
    )


def encoding_core_days(documents: int, documents_per_second: float) -> float:
    """Return the time that one core needs to encode documents."""
    return documents / documents_per_second / DAY
