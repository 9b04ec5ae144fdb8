"""The true neighbours of queries, by comparing every vector: what recall is measured against."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolattn.retrieval.shards.durable import atomic_write
from boolattn_lab.benchmarks.exact_search import exact_search
from boolattn_lab.benchmarks.measures import Ranking
from boolattn_lab.costs.scale.searching import FILTERS, K, Neighbours, passes
from boolattn_lab.costs.scale.vectors import ScaledVectors, Vectors


class Exact(NamedTuple):
    """The results of exact search.

    Attributes:
        neighbours: Kind of query -> filter -> numbers of the nearest vectors, (Q, K).
        cosines: Kind of query -> mean cosine of the first and of the last neighbour, without a filter.
    """

    neighbours: Mapping[str, Neighbours]
    cosines: Mapping[str, tuple[float, float]]


def exact_neighbours(vectors: ScaledVectors, size: int, queries: Mapping[str, Vectors], folder: Path) -> Exact:
    """Search the first ``size`` vectors for each kind of query and each filter; the results are kept in a folder."""
    path = folder / f"exact-{size}-of-{vectors.real}-{len(queries['plain'])}.npz"
    if not path.exists():
        found: dict[str, NDArray[Any]] = {}
        for name in FILTERS:
            ranked = exact_search(
                np.concatenate(list(queries.values())), _passing(vectors, size, name), K, progress=False
            )
            for kind, some in zip(queries, _split(ranked, len(queries)), strict=True):
                found[f"{kind}|{name}"] = np.array([each.documents for each in some])
                scores = np.array([each.scores for each in some])
                found[f"{kind}|{name}|cosines"] = scores[:, [0, -1]].mean(axis=0)
        with atomic_write(path) as aside, aside.open("wb") as file:
            np.savez(file, **found)  # type: ignore[arg-type]
    with np.load(path) as stored:
        return Exact(
            {kind: {name: stored[f"{kind}|{name}"] for name in FILTERS} for kind in queries},
            {kind: tuple(stored[f"{kind}|none|cosines"].tolist()) for kind in queries},
        )


def _split(rankings: Sequence[Ranking], parts: int) -> list[Sequence[Ranking]]:
    size = len(rankings) // parts
    return [rankings[start : start + size] for start in range(0, len(rankings), size)]


def _passing(vectors: ScaledVectors, size: int, name: str) -> Iterator[tuple[NDArray[np.int64], Vectors]]:
    for numbers, some in vectors.blocks(size):
        kept = passes(numbers, name)
        yield numbers[kept], some[kept]
