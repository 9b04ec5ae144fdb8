"""One index of a size: build time, disk, memory, recall and latency, next to the bare client. Imports no torch.

Building and searching run in new processes, so that the memory of one is not counted for the other.
"""

from collections.abc import Mapping
from typing import Any

from boolattn_lab.costs.resources import in_new_process, memory_mb
from boolattn_lab.costs.scale.building import build
from boolattn_lab.costs.scale.place import Place, drop_leftover
from boolattn_lab.costs.scale.searching import Neighbours, search
from boolattn_lab.costs.scale.vectors import ScaledVectors, Vectors


def measure_engine(
    place: Place,
    vectors: ScaledVectors,
    size: int,
    queries: Mapping[str, Vectors],
    exact: Mapping[str, Neighbours],
) -> dict[str, Any]:
    """Build an index of the first ``size`` vectors, search it, and drop it."""
    before = memory_mb(place.process, "VmRSS") if place.server else 0.0
    try:
        built = in_new_process(build, place, vectors, size)
        found = in_new_process(search, place, queries, exact)
        if place.server:
            found["memory_mb"] = memory_mb(place.process, "VmRSS") - before
            built["peak_mb"] = memory_mb(place.process, "VmHWM")
    finally:
        drop_leftover(place)
    return {"engine": place.backend, "vectors": size, "real": min(vectors.real, size), **built, **found}
