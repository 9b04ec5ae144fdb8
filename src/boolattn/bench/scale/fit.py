"""How a figure grows with the number of vectors, fitted on the smaller sizes and checked at the largest."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Shape = Literal["power", "line"]
FIGURES: Mapping[str, Shape] = {
    "index_seconds": "power",
    "write_seconds": "power",
    "build_cpu_seconds": "power",
    "query_cpu_ms": "power",
    "p50_ms": "power",
    "queries_per_second": "power",
    "disk_mb": "line",
    "memory_mb": "line",
}
"""Times follow a power of the size; what is stored has a constant part, and one per vector."""
FEWEST = 2
"""Sizes that a fit needs."""


@dataclass(frozen=True)
class Curve:
    """y = a n^b ("power") or y = a + b n ("line")."""

    shape: Shape
    a: float
    b: float

    def at(self, size: float) -> float:
        """Return the figure at a size."""
        return self.a * size**self.b if self.shape == "power" else self.a + self.b * size


@dataclass(frozen=True)
class Checked:
    """A curve fitted without the largest size, what it says there, and what was measured there.

    Attributes:
        curve: Fitted on all sizes but the largest.
        held_out: The largest size.
        predicted: By the curve.
        measured: At that size.
    """

    curve: Curve
    held_out: int
    predicted: float
    measured: float

    @property
    def error(self) -> float:
        """The relative error: 0.1 is a prediction 10 % too high."""
        return self.predicted / self.measured - 1


def fit(sizes: Sequence[float], values: Sequence[float], shape: Shape) -> Curve:
    """Fit a curve with the least squared relative error, so that the largest size does not decide alone."""
    if len(sizes) < FEWEST:
        raise ValueError(f"a fit needs at least {FEWEST} sizes, not {len(sizes)}")
    n, y = np.asarray(sizes, float), np.asarray(values, float)
    if shape == "power":
        b, log_a = np.polyfit(np.log(n), np.log(y), 1)
        return Curve(shape, math.exp(log_a), float(b))
    a, b = np.linalg.lstsq(np.stack([1 / y, n / y], axis=1), np.ones_like(y), rcond=None)[0]
    return Curve(shape, float(a), float(b))


def check(points: Mapping[int, float], shape: Shape) -> Checked:
    """Fit all sizes but the largest, and compare there."""
    *fitted, held_out = sorted(points)
    curve = fit(fitted, [points[size] for size in fitted], shape)
    return Checked(curve, held_out, curve.at(held_out), points[held_out])


def points_of(results: Sequence[Mapping[str, Any]], figure: str) -> dict[int, float]:
    """Return a figure by size; of several measurements of a size, the one with the most real vectors.

    A figure of 0 is left out: few vectors have no index.
    """
    ordered = sorted(results, key=lambda each: each["real"])
    return {each["vectors"]: value for each in ordered if (value := _value(each, figure)) > 0}


def _value(result: Mapping[str, Any], figure: str) -> float:
    return float(result["searches"]["plain"]["none"][figure] if figure == "p50_ms" else result[figure])
