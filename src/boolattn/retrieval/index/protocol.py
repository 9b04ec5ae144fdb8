"""The interface of every index, and its input and output records."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
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
    """The wrong index: made by another model, or missing."""


@dataclass(frozen=True, slots=True)
class IndexDescription:
    """The description of an index; stored with its rows.

    Attributes:
        fingerprint: The ``document_fingerprint`` of the model that made the vectors.
        model: The model's name, for display.
        dimension: Size of the vectors.
        similarity: How vectors compare; for "cosine", they already have unit length.
        metadata: The fields that can be filtered by, and their types.
        documents: What the documents are: ``"things"``, such as films, products and packages, or ``"pages"`` about
            them; None if not declared.
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
    """Documents in an index, column by column; N of each.

    Attributes:
        ids: The user's own IDs; they must be unique.
        titles: Titles; empty if a document has none.
        texts: The encoded texts, without titles.
        vectors: (N, D).
        metadata: Each document's fields; fields may be missing.
        shard: The checksum of their shard.
    """

    ids: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[str]
    vectors: Vectors
    metadata: Sequence[Mapping[str, Value]]
    shard: str = ""

    def __len__(self) -> int:
        return len(self.ids)

    def joined(self, others: "Rows") -> "Rows":
        """Return these documents, then the others, without a shard."""
        return Rows(
            [*self.ids, *others.ids],
            [*self.titles, *others.titles],
            [*self.texts, *others.texts],
            np.concatenate([self.vectors, others.vectors]),
            [*self.metadata, *others.metadata],
        )


@dataclass(frozen=True, slots=True)
class Hit:
    """A document and its score: higher is nearer."""

    doc_id: str
    score: float


class Index(Protocol):
    """Documents with their vectors, under one name. A write that has returned survives a crash of the client."""

    has_text: bool
    """Whether ``search_text`` is supported."""

    def create(self, description: IndexDescription) -> None:
        """Create an empty index; ``WrongIndexError`` if one with another description exists.

        Only ``documents`` may differ, and keeps its value: see ``declare``.
        """
        ...

    def write_lock(self) -> AbstractContextManager[None]:
        """Return a lock against other writers of whole folders; ``BusyError`` if one is writing."""
        ...

    def unpublished(self) -> "Index":
        """Return an index that is not searched, to be filled and then published under this one's name."""
        ...

    def publish(self) -> None:
        """Atomically rename the unpublished index to this one, which must not exist yet."""
        ...

    def declare(self, documents: Documents) -> None:
        """Store what the documents of an existing index are."""
        ...

    def describe(self) -> IndexDescription:
        """Return what the index contains; ``WrongIndexError`` if it does not exist."""
        ...

    def upsert(self, rows: Rows) -> None:
        """Write documents; existing ones with the same IDs are replaced."""
        ...

    def delete(self, ids: Sequence[str]) -> None:
        """Remove documents; missing IDs are ignored."""
        ...

    def delete_shard(self, shard: str) -> None:
        """Remove all documents that come from a shard."""
        ...

    def settle(self) -> None:
        """After the last write: build or update the search structures, so that searches are fast."""
        ...

    def refresh(self) -> None:
        """See, from now on, every write that has returned, by whatever process."""
        ...

    def search(self, vector: Vectors, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return the k documents nearest to a vector (D,), nearest first."""
        ...

    def nearest(self, vectors: Vectors, k: int, where: Sequence[Filter] = ()) -> Rows:
        """Return the documents that ``search`` finds for each vector (Q, D), each once, in one call of the engine.

        Those of the first vector come first, in the order of ``search``, then what the others add.
        """
        ...

    def search_text(self, text: str, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return the k best documents by BM25 on titles and texts."""
        ...

    def fetch(self, ids: Sequence[str]) -> Rows:
        """Return documents in the given order; missing IDs are skipped."""
        ...

    def shards(self) -> dict[str, int]:
        """Return how many documents come from each shard."""
        ...

    def shards_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Return how many of these documents come from each shard; missing IDs are ignored."""
        ...

    def count(self) -> int:
        """Return the number of documents."""
        ...

    def drop(self) -> None:
        """Delete the index and its contents."""
        ...

    def close(self) -> None:
        """Close files and connections."""
        ...
