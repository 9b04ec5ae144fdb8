"""QueryEncoder: from readings to vectors, whoever read the queries. Needs no torch."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boolattn.reading.reading import Reading

Vectors: TypeAlias = NDArray[np.float32]
Embed: TypeAlias = Callable[[list[str]], Any]
"""Takes texts and returns their vectors: a model's ``encode``, or a call of an API."""


class QueryEncoder(Protocol):
    """Makes vectors of queries that have been read."""

    def encode(self, readings: Sequence[Reading]) -> Vectors:
        """Return the vectors (B, D) of queries; every exclusion of a reading is acted on.

        Args:
            readings: From a reader, reduced to what is to be acted on by ``ReadingOptions.applied``.
        """
        ...


class PlainEncoder:
    """A ``QueryEncoder`` to compare with, the one that acts on no exclusion: an embedding function's own vectors."""

    def __init__(self, embed: Embed) -> None:
        """Take an embedding function."""
        self._embed = embed

    def encode(self, readings: Sequence[Reading]) -> Vectors:
        """Return the function's vectors (B, D) of the queries."""
        return np.asarray(self._embed([reading.query for reading in readings]), np.float32)
