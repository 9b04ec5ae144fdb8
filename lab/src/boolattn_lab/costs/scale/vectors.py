"""Vectors of real texts, and as many more as a size needs: copies with jitter."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
BLOCK = 10_000
"""Vectors made, and written to an index, at once."""
SAMPLE = 1000


@dataclass(frozen=True)
class ScaledVectors:
    """Real vectors, then copies of them: x' = x + s (y - z), normalised, with y and z two other real vectors.

    Noise of this kind stays where the data is: it has the data's own covariance. Independent noise would put every copy
    off it, and an index behaves differently there. A vector depends only on its number, so that a larger set starts
    with the smaller ones.

    Attributes:
        path: The real vectors, (R, D), as an .npy file.
        real: How many of them to use.
        share: s.
        seed: Chooses y and z.
    """

    path: Path
    real: int
    share: float
    seed: int

    @cached_property
    def base(self) -> Vectors:
        """The real vectors in use."""
        return np.asarray(np.load(self.path, mmap_mode="r")[: self.real])

    def blocks(self, count: int) -> Iterator[tuple[NDArray[np.int64], Vectors]]:
        """Yield the numbers and vectors of the first ``count``, from 0."""
        for first in range(0, count, BLOCK):
            numbers = np.arange(first, min(first + BLOCK, count))
            yield numbers, self._vectors(first)[: len(numbers)]

    def _vectors(self, first: int) -> Vectors:
        numbers = np.arange(first, first + BLOCK)
        vectors = self.base[numbers % len(self.base)]
        noise = _differences(self.base, BLOCK, np.random.default_rng([self.seed, first]))
        copies = numbers >= len(self.base)
        vectors[copies] += self.share * noise[copies]
        return unit(vectors)

    def __getstate__(self) -> dict[str, object]:
        # Another process reads the file itself.
        return {name: value for name, value in self.__dict__.items() if name != "base"}


def share_of_jitter(base: Vectors, seed: int) -> float:
    """Return the share that puts a copy as far from its original as a real vector is from its nearest neighbour."""
    rng = np.random.default_rng(seed)
    some = base[rng.integers(len(base), size=SAMPLE)]
    nearest = float(np.median(_nearest_other(some, base)))
    # The noise is about orthogonal to x, so that cos(x, x') = 1 / sqrt(1 + s^2 |y - z|^2).
    spread = float(np.mean(np.sum(_differences(base, SAMPLE, rng) ** 2, axis=1)))
    return float(np.sqrt((1 / nearest**2 - 1) / spread))


def describe(vectors: ScaledVectors) -> dict[str, float]:
    """Return how near neighbours are: among real vectors, and a copy to its original."""
    base, rng = vectors.base, np.random.default_rng(vectors.seed)
    some = rng.integers(len(base), size=SAMPLE)
    copies = unit(base[some] + vectors.share * _differences(base, SAMPLE, rng))
    return {
        "jitter_share": vectors.share,
        "cosine_of_nearest_real": float(np.median(_nearest_other(base[some], base))),
        "cosine_of_copy_and_original": float(np.median(np.sum(copies * base[some], axis=1))),
    }


def _differences(base: Vectors, count: int, rng: np.random.Generator) -> Vectors:
    """Return y - z for pairs of different vectors."""
    one = rng.integers(len(base), size=count)
    other = (one + rng.integers(1, len(base), size=count)) % len(base)
    return np.asarray(base[one] - base[other])


def _nearest_other(some: Vectors, base: Vectors) -> Vectors:
    """Return each vector's cosine to the nearest vector that is not itself, or a copy of the same text."""
    scores = some @ base.T
    scores[scores > 0.999] = -1
    return np.asarray(scores.max(axis=1))


def unit(vectors: Vectors) -> Vectors:
    """Return vectors of length 1."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)
