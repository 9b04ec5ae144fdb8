"""What every index can do, and the records that go in and come out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boolattn.reading.reading import Documents

Value: TypeAlias = str | int | float | bool
Kind: TypeAlias = Literal["text", "integer", "number", "boolean"]
Vectors: TypeAlias = NDArray[np.float32]
Comparison: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">=", "in"]


class WrongIndexError(ValueError):
    """An index that is not what its user takes it for: made by another model, or not there."""


@dataclass(frozen=True, slots=True)
class IndexDescription:
    """What an index is made of; it is stored with the rows.

    Attributes:
        fingerprint: Of the model, as ``document_fingerprint`` gives it, whose vectors these are.
        model: What that model is called, for people.
        dimension: Of the vectors.
        similarity: How they compare; vectors for "cosine" have unit length already.
        metadata: The fields that can be filtered by, and what they hold.
        documents: What the documents are: ``"things"``, such as films, products and packages, or ``"pages"`` about
            them; None where nobody said.
    """

    fingerprint: str
    model: str
    dimension: int
    similarity: Literal["cosine", "dot"]
    metadata: Mapping[str, Kind] = field(default_factory=dict)
    documents: Documents | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter on metadata, such as ``Filter("year", ">=", 1990)``; several must all match."""

    name: str
    comparison: Comparison
    value: Value | tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Documents as an index holds them, column by column; N of each.

    Attributes:
        ids: The user's own, unlike each other.
        titles: Empty where there is none.
        texts: What was encoded, without the title.
        vectors: (N, D).
        metadata: For each document, its fields; a field may be missing.
        shard: The checksum of the shard that these come from.
    """

    ids: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[str]
    vectors: Vectors
    metadata: Sequence[Mapping[str, Value]]
    shard: str = ""

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Hit:
    """A document and its score: higher is nearer."""

    doc_id: str
    score: float


class Index(Protocol):
    """Documents with their vectors, under one name. Every write that has returned outlives a crash of its client."""

    has_text: bool
    """Whether ``search_text`` can be asked."""

    def create(self, description: IndexDescription) -> None:
        """Make an empty index; one that is there already must be of this description, else ``WrongIndexError``."""
        ...

    def describe(self) -> IndexDescription:
        """Return what the index is made of; ``WrongIndexError`` if there is none."""
        ...

    def upsert(self, rows: Rows) -> None:
        """Write documents; those whose ids are there already are replaced."""
        ...

    def delete(self, ids: Sequence[str]) -> None:
        """Remove documents; ids that are not there are skipped."""
        ...

    def delete_shard(self, shard: str) -> None:
        """Remove all documents that come from a shard."""
        ...

    def settle(self) -> None:
        """After the last write: build or bring up to date the search structures, so that searches are fast."""
        ...

    def search(self, vector: Vectors, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return the k nearest to a vector (D,), nearest first."""
        ...

    def search_text(self, text: str, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return the k best by BM25 on titles and texts."""
        ...

    def fetch(self, ids: Sequence[str]) -> Rows:
        """Return documents in the order asked for; ids that are not there are skipped."""
        ...

    def shards(self) -> dict[str, int]:
        """Return how many documents come from each shard."""
        ...

    def count(self) -> int:
        """Return how many documents there are."""
        ...

    def drop(self) -> None:
        """Remove the index and all it holds."""
        ...

    def close(self) -> None:
        """Close files and connections."""
        ...
