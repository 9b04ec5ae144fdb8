"""An index in this process's memory: exact vector search and BM25. It is lost when the process ends."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import eq, ge, gt, le, lt, ne
from threading import RLock
from typing import Any

import bm25s
import numpy as np
import Stemmer
from numpy.typing import NDArray

from boolattn.reading.reading import Documents
from boolattn.retrieval.index import description as descriptions
from boolattn.retrieval.index.checking import check_filters, check_query, check_rows
from boolattn.retrieval.index.description import MissingIndexError, content_of
from boolattn.retrieval.index.protocol import Comparison, Filter, Hit, IndexDescription, Rows, Value, Vectors
from boolattn.retrieval.write_lock import LockOwner

_COMPARISONS: dict[Comparison, Callable[[Any, Any], bool]] = {
    "=": eq,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
    "in": lambda value, among: value in among,
}


@dataclass(frozen=True, slots=True)
class _Document:
    title: str
    text: str
    vector: Vectors
    metadata: Mapping[str, Value]
    shard: str


class _Snapshot:
    """The documents between two writes, prepared for search."""

    def __init__(self, documents: Mapping[str, _Document]) -> None:
        self.ids, self.documents = list(documents), list(documents.values())

    @cached_property
    def vectors(self) -> Vectors:
        return np.array([document.vector for document in self.documents], np.float32)  # (N, D)

    @cached_property
    def bm25(self) -> Any:
        """BM25 weights of the documents' words; None if there are no words."""
        words = _words([content_of(each.title, each.text) for each in self.documents])
        if not any(words):
            return None
        index = bm25s.BM25()
        index.index(words, show_progress=False)
        return index

    def text_scores(self, words: Sequence[str]) -> NDArray[Any]:
        """Return BM25's score of each document (N,)."""
        known = [word for word in words if word in self.bm25.vocab_dict] if self.bm25 else []
        found: NDArray[Any] = self.bm25.get_scores(known) if known else np.zeros(len(self.ids))
        return found

    def passing(self, where: Sequence[Filter]) -> NDArray[np.bool_]:
        """Return which documents pass all filters (N,); a document without the field fails its filter."""
        if not where:
            return np.ones(len(self.ids), bool)
        return np.array([all(_passes(each.metadata, one) for one in where) for each in self.documents], bool)

    def best(self, scores: NDArray[Any], chosen: NDArray[np.bool_], k: int) -> list[Hit]:
        """Return the k best of the selected documents by score (N,); ties go to the one written first."""
        places = np.flatnonzero(chosen)
        order = places[(-scores[places]).argsort(kind="stable")[:k]]
        return [Hit(self.ids[place], float(scores[place])) for place in order]


@dataclass(slots=True)
class _Contents:
    """The state shared by all indexes with the same name."""

    description: IndexDescription | None = None
    documents: dict[str, _Document] = field(default_factory=dict)
    snapshot: _Snapshot | None = None
    lock: Any = field(default_factory=RLock)
    writer: LockOwner | None = None
    unpublished: "MemoryIndex | None" = None


_NAMED: defaultdict[str, _Contents] = defaultdict(_Contents)


class MemoryIndex:
    """Documents in memory, under a name shared within this process, or private."""

    has_text = True

    def __init__(self, name: str = "") -> None:
        """Open an index by name, which need not exist yet; without a name, create a private one."""
        self._uri = f"memory://{name}"
        self._contents = _NAMED[name] if name else _Contents()
        self._described: IndexDescription | None = None

    def create(self, description: IndexDescription) -> None:
        """Create the index, or refuse one with another description."""
        with self._contents.lock:
            if self._contents.description is None:
                self._contents.description = description
            descriptions.refuse_another(self.describe(), description, self._uri)

    @contextmanager
    def write_lock(self) -> Iterator[None]:
        """Keep other threads from filling the index."""
        with self._contents.lock:
            if self._contents.writer is not None:
                raise self._contents.writer.busy_error(self._uri)
            self._contents.writer = LockOwner.now()
        try:
            yield
        finally:
            self._contents.writer = None

    def unpublished(self) -> "MemoryIndex":
        """Return a separate index."""
        with self._contents.lock:
            self._contents.unpublished = self._contents.unpublished or MemoryIndex()
            return self._contents.unpublished

    def publish(self) -> None:
        """Take over the contents of the unpublished index."""
        made = self.unpublished()._contents
        with self._contents.lock:
            self._contents.documents, self._contents.snapshot = made.documents, None
            self._contents.description, self._contents.unpublished = made.description, None

    def declare(self, documents: Documents) -> None:
        """Store what the documents are."""
        with self._contents.lock:
            self._contents.description = replace(self.describe(), documents=documents)

    def describe(self) -> IndexDescription:
        """Return the description."""
        if self._contents.description is None:
            raise MissingIndexError(self._uri, "`index_folder` in this process")
        self._described = descriptions.unchanged(self._contents.description, self._described, self._uri)
        return self._described

    def upsert(self, rows: Rows) -> None:
        """Write all rows, or none."""
        check_rows(rows, self.describe())
        vectors = np.array(rows.vectors, np.float32)  # a copy: the caller may change the original
        columns = zip(rows.titles, rows.texts, vectors, map(dict, rows.metadata), strict=True)
        self._write({doc_id: _Document(*parts, rows.shard) for doc_id, parts in zip(rows.ids, columns, strict=True)})

    def delete(self, ids: Sequence[str]) -> None:
        """Remove documents."""
        self._write({}, removed=set(ids))

    def delete_shard(self, shard: str) -> None:
        """Remove all documents of a shard."""
        with self._contents.lock:
            self._write({}, {doc_id for doc_id, each in self._contents.documents.items() if each.shard == shard})

    def settle(self) -> None:
        """Do nothing: search structures are built at the first search after a write."""

    def refresh(self) -> None:
        """Do nothing: every write is seen at once."""

    def search(self, vector: Vectors, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return the k nearest documents that pass the filters."""
        described, snapshot = self.describe(), self._snapshot()
        check_query(vector, described)
        check_filters(where, described)
        if not snapshot.ids:
            return []
        query = np.asarray(vector, np.float32)
        if described.similarity == "cosine":
            query = query / np.maximum(np.linalg.norm(query), np.finfo(np.float32).tiny)
        return snapshot.best(snapshot.vectors @ query, snapshot.passing(where), k)

    def nearest(self, vectors: Vectors, k: int, where: Sequence[Filter] = ()) -> Rows:
        """Return the k documents nearest to each vector (Q, D) that pass the filters, with their texts and vectors."""
        return self.fetch([hit.doc_id for vector in vectors for hit in self.search(vector, k, where)])

    def search_text(self, text: str, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return the k best documents by BM25, with English stemming and stop words."""
        described, snapshot = self.describe(), self._snapshot()
        check_filters(where, described)
        scores = snapshot.text_scores(*_words([text]))
        return snapshot.best(scores, (scores > 0) & snapshot.passing(where), k)

    def fetch(self, ids: Sequence[str]) -> Rows:
        """Return documents in the given order."""
        described, documents = self.describe(), self._contents.documents
        found = {doc_id: documents[doc_id] for doc_id in ids if doc_id in documents}
        return Rows(
            ids=list(found),
            titles=[each.title for each in found.values()],
            texts=[each.text for each in found.values()],
            vectors=np.array([each.vector for each in found.values()], np.float32).reshape(-1, described.dimension),
            metadata=[dict(each.metadata) for each in found.values()],
        )

    def shards(self) -> dict[str, int]:
        """Return how many documents come from each shard."""
        self.describe()
        return dict(Counter(each.shard for each in self._contents.documents.values()))

    def shards_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Return how many of these documents come from each shard."""
        self.describe()
        documents = self._contents.documents
        return dict(Counter(documents[doc_id].shard for doc_id in set(ids) if doc_id in documents))

    def count(self) -> int:
        """Return the number of documents."""
        self.describe()
        return len(self._contents.documents)

    def drop(self) -> None:
        """Delete the index and its contents."""
        with self._contents.lock:
            self._contents.description, self._contents.documents, self._contents.snapshot = None, {}, None
            self._contents.unpublished = None
        self._described = None

    def close(self) -> None:
        """Do nothing: there are no files or connections."""

    def _write(self, documents: dict[str, _Document], removed: Set[str] = frozenset()) -> None:
        """Replace the documents with a modified copy, so that concurrent readers are not affected."""
        self.describe()
        with self._contents.lock:
            kept = {doc_id: each for doc_id, each in self._contents.documents.items() if doc_id not in removed}
            self._contents.documents, self._contents.snapshot = kept | documents, None

    def _snapshot(self) -> _Snapshot:
        with self._contents.lock:
            if self._contents.snapshot is None:
                self._contents.snapshot = _Snapshot(self._contents.documents)
            return self._contents.snapshot


def _passes(metadata: Mapping[str, Value], given: Filter) -> bool:
    return given.name in metadata and _COMPARISONS[given.comparison](metadata[given.name], given.value)


def _words(texts: Sequence[str]) -> list[list[str]]:
    """Return the stems of each text's words, without stop words and accents."""
    plain = ["".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)) for text in texts]
    stemmer = Stemmer.Stemmer("english")  # stemmers are not thread-safe
    found: list[list[str]] = bm25s.tokenize(
        plain, stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False
    )
    return found
