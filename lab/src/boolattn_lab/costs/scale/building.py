"""Build an index of a size: time, disk and memory. Imports no torch."""

import shutil
import time
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from boolattn.retrieval.index.open_index import open_index, parse_address
from boolattn.retrieval.index.protocol import IndexDescription, Rows
from boolattn.retrieval.shards.parquet import arrow
from boolattn_lab.costs.resources import MB, cpu_seconds, disk_mb, memory_mb
from boolattn_lab.costs.scale.place import FINGERPRINT, Place
from boolattn_lab.costs.scale.searching import PART
from boolattn_lab.costs.scale.vectors import ScaledVectors, Vectors

BARE_WRITE_UP_TO = 100_000


def build(place: Place, vectors: ScaledVectors, size: int) -> dict[str, Any]:
    """Write the first ``size`` vectors and build the search structures."""
    before, used = disk_mb(place.folder), cpu_seconds(place.process)
    index, seconds = open_index(place.uri), 0.0
    dimension = vectors.base.shape[1]
    index.create(IndexDescription(FINGERPRINT, FINGERPRINT, dimension, "cosine", {PART: "integer"}))
    total = -(-size // len(next(vectors.blocks(size))[0]))
    for numbers, some in track(vectors.blocks(size), f"writing {size:,}", total, console=Console(stderr=True)):
        rows = _rows(numbers, some)
        begun = time.perf_counter()
        index.upsert(rows)
        seconds += time.perf_counter() - begun
    begun = time.perf_counter()
    index.settle()
    settled = time.perf_counter() - begun
    peak = memory_mb("self", "VmHWM")
    built = {"write_seconds": seconds, "index_seconds": settled, "peak_mb": peak}
    built["build_cpu_seconds"] = cpu_seconds(place.process) - used
    if place.backend == "lance":
        table = _table(place)
        time.sleep(2)
        table.optimize(cleanup_older_than=timedelta(seconds=1))  # replaced files, which are kept for a minute
        built["index_mb"] = _index_mb(table)
    built["disk_mb"] = disk_mb(place.folder) - before
    if size <= BARE_WRITE_UP_TO and place.backend == "lance":
        built["bare_write_seconds"] = _bare_write(place, vectors, size)
    index.close()
    return built


def _rows(numbers: NDArray[np.int64], vectors: Vectors) -> Rows:
    ids = [str(number) for number in numbers]
    fields = [{PART: int(number) % 100} for number in numbers]
    return Rows(ids, [""] * len(ids), [""] * len(ids), vectors, fields)


def _bare_write(place: Place, vectors: ScaledVectors, size: int) -> float:
    """Return the seconds in which LanceDB's own client appends the same vectors, IDs and fields."""
    import lancedb

    pyarrow = arrow()
    folder, seconds, table = f"{parse_address(place.uri).where}-bare", 0.0, None
    for numbers, some in vectors.blocks(size):
        lists = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(some.reshape(-1)), some.shape[1])
        rows = pyarrow.table({"id": [str(number) for number in numbers], "vector": lists, PART: numbers % 100})
        begun = time.perf_counter()
        if table is None:
            table = lancedb.connect(folder).create_table("bare", rows)
        else:
            table.add(rows)
        seconds += time.perf_counter() - begun
    shutil.rmtree(folder)
    return seconds


def _table(place: Place) -> Any:
    import lancedb

    _, folder, name = parse_address(place.uri)
    return lancedb.connect(folder).open_table(name)


def _index_mb(table: Any) -> float:
    """Return the size of the vector index alone: what a search keeps in memory."""
    return sum((each.size_bytes or 0) for each in table.list_indices() if each.columns == ["vector"]) / MB
