"""QueryEncoder: readings from any reader -> vectors. Needs no torch."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from boolattn.reading.reading import Reading

Vectors: TypeAlias = NDArray[np.float32]
Embed: TypeAlias = Callable[[list[str]], Any]
"""Texts -> their vectors: a model's ``encode``, or an API call."""


class QueryEncoder(Protocol):
    """Encodes readings."""

    def encode(self, readings: Sequence[Reading]) -> Vectors:
        """Return the vectors (B, D) of queries; every exclusion of a reading is acted on.

        Args:
            readings: From a reader, reduced by ``ReadingOptions.applied`` to what is acted on.
        """
        ...


class PlainEncoder:
    """A ``QueryEncoder`` that ignores exclusions, as a baseline: an embedding function's own vectors."""

    def __init__(self, embed: Embed) -> None:
        """Store an embedding function."""
        self._embed = embed

    def encode(self, readings: Sequence[Reading]) -> Vectors:
        """Return the function's vectors (B, D) of the queries."""
        return np.asarray(self._embed([reading.query for reading in readings]), np.float32)


class AttentionEncoder:
    """A ``QueryEncoder`` that acts inside a Boolean model's attention and pooling."""

    def __init__(self, encode_readings: Callable[[Sequence[Reading]], Any]) -> None:
        """Store the model's ``encode_readings``."""
        self._encode_readings = encode_readings

    def encode(self, readings: Sequence[Reading]) -> Vectors:
        """Return the vectors (B, D) of queries; every exclusion of a reading is acted on."""
        return cast(Vectors, self._encode_readings(readings))


def require_finite_vectors(vectors: Vectors) -> None:
    """Raise if a query's vector contains NaN or infinity: a search would silently return nothing, or only BM25 hits."""
    if not np.isfinite(vectors).all():
        raise ValueError(
            "the vector of a query contains NaN or infinity: check the weights of the model, or the embedding function"
        )
