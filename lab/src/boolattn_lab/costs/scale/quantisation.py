"""What is left of recall when vectors take fewer bytes: float16, int8, and one bit per dimension with rescoring."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolattn_lab.costs.scale.searching import K, recall
from boolattn_lab.costs.scale.vectors import Vectors

RESCORED = (1, 4, 10)
"""Candidates per hit that are compared again, with the full vectors; 1 is no rescoring."""
Scores = Callable[[Vectors], NDArray[np.float32]]
"""Queries (Q, D) -> scores (Q, N)."""


def measure_quantisation(vectors: Vectors, queries: Mapping[str, Vectors]) -> dict[str, Any]:
    """Return bytes per vector and recall@100 against float32, for each kind of query.

    Every vector is compared, so that only rounding costs recall. Queries are not rounded, except for bits against bits.
    """
    rows = []
    exact = {kind: _best(some @ vectors.T, K) for kind, some in queries.items()}
    for name, (size, scores) in _forms(vectors).items():
        scored = {kind: scores(some) for kind, some in queries.items()}
        for rescored in RESCORED if "bit" in name else (1,):
            recalls = {
                kind: recall(_rescored(vectors, some, _best(scored[kind], rescored * K)), exact[kind])
                for kind, some in queries.items()
            }
            rows.append({"form": name, "bytes": size, "rescored": rescored, "recall": recalls})
    return {"vectors": len(vectors), "dimensions": vectors.shape[1], "rows": rows}


def _forms(vectors: Vectors) -> dict[str, tuple[int, Scores]]:
    dimensions = vectors.shape[1]
    scale = np.abs(vectors).max(axis=0) / 127  # one per dimension, stored once
    whole = np.rint(vectors / scale).astype(np.int8)
    signs = np.where(vectors > 0, np.float32(1), np.float32(-1))
    half = vectors.astype(np.float16)
    return {
        "float32": (4 * dimensions, lambda queries: queries @ vectors.T),
        "float16": (2 * dimensions, lambda queries: queries @ half.astype(np.float32).T),
        "int8": (dimensions, lambda queries: (queries * scale) @ whole.astype(np.float32).T),
        "one bit, query float32": (dimensions // 8, lambda queries: queries @ signs.T),
        # With +1 and -1, the inner product is D - 2 x the Hamming distance.
        "one bit, query one bit": (
            dimensions // 8,
            lambda queries: np.where(queries > 0, 1, -1).astype("f4") @ signs.T,
        ),
    }


def _best(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    count = min(count, scores.shape[1])
    return np.argpartition(-scores, count - 1, axis=1)[:, :count]


def _rescored(vectors: Vectors, queries: Vectors, candidates: NDArray[np.int64]) -> NDArray[np.int64]:
    scores = np.einsum("qd,qcd->qc", queries, vectors[candidates])
    return np.take_along_axis(candidates, _best(scores, K), axis=1)
