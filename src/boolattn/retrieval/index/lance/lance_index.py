"""LanceDB: files in a folder or in object storage, and no server to run. Needs lancedb."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from boolattn.retrieval.index import description as descriptions
from boolattn.retrieval.index.checking import check_rows
from boolattn.retrieval.index.description import MissingIndexError
from boolattn.retrieval.index.lance.table import KEPT, among, rows_of, schema_of, table_of, where_clause
from boolattn.retrieval.index.protocol import Filter, Hit, IndexDescription, Rows, Vectors
from boolattn.retrieval.vectors.parquet import arrow

FLAT_UP_TO = 5_000
"""Rows up to which every vector is compared: up to here, at 384 dimensions, that is as quick as an index (12 ms)."""
PARTITIONS = 64
"""Partitions searched, of about a million vectors each: up to 64 million, all of them."""
CANDIDATES, FEWEST_CANDIDATES = 4, 400
"""How many candidates the graph is searched for: so many for each hit asked for, and no fewer than so many."""
COMPARED = 2
"""How many of them, for each hit asked for, are compared by their exact vectors; the index has rounded ones."""
SEEN_AFTER = timedelta(seconds=5)
"""How old a reader's view may be; it does not see what others write before that."""
KEPT_FOR = timedelta(minutes=1)
"""How long files stay that a new version no longer needs: longer than readers' views live."""
IDS_AT_ONCE = 1000

Given = ParamSpec("Given")
Returned = TypeVar("Returned")


class LanceFilesError(OSError):
    """The files of an index cannot be read or written."""


def _explained(
    method: "Callable[Concatenate[LanceIndex, Given], Returned]",
) -> "Callable[Concatenate[LanceIndex, Given], Returned]":
    """Let a method say what its user can do about an error of LanceDB, which raises plain ones."""

    @wraps(method)
    def call(self: "LanceIndex", /, *given: Given.args, **settings: Given.kwargs) -> Returned:
        try:
            return method(self, *given, **settings)
        except RuntimeError as error:
            if "conflict" in str(error):
                advice = "somebody else writes to it at the same time. Run this again when they are done"
            else:
                advice = "its files cannot be read or written. If they are damaged, remove them and index anew"
            said = str(error).partition(", /")[0]  # what follows is a line of its source
            raise LanceFilesError(f"{self.uri}: {advice} (LanceDB says: {said})") from error

    return call


class LanceIndex:
    """One table of a LanceDB database."""

    has_text = True

    def __init__(self, folder: str, name: str, uri: str) -> None:
        """Name a table, which need not be there yet.

        Args:
            folder: Of the database: a path or the address of object storage.
            name: Of the table.
            uri: Of both, as people write it, for messages.
        """
        try:
            import lancedb
        except ImportError as error:
            raise ImportError("lance:// needs the package lancedb: pip install boolattn[search]") from error
        self.uri = uri
        self._name = name
        self._database: Any = lancedb.connect(folder, read_consistency_interval=SEEN_AFTER)
        self._opened: Any = None
        self._described: IndexDescription | None = None

    @_explained
    def create(self, description: IndexDescription) -> None:
        """Make the table, or refuse one of another description."""
        from lancedb.index import FTS, BTree

        try:
            descriptions.refuse_another(self.describe(), description, self.uri)
        except MissingIndexError:
            self._opened = self._database.create_table(self._name, schema=schema_of(description))
        # A run may have been stopped after it made the table and before it made these.
        if not self._is_indexed("id"):
            self._table.create_index("id", config=BTree())
        if not self._is_indexed("content"):
            self._table.create_index("content", config=FTS(language="English", stem=True, remove_stop_words=True))

    @_explained
    def describe(self) -> IndexDescription:
        """Return the description that the table's schema keeps, looked at every time: others may make it anew."""
        now = descriptions.read((self._table.schema.metadata or {}).get(KEPT), self.uri)
        self._described = descriptions.unchanged(now, self._described, self.uri)
        return self._described

    @_explained
    def upsert(self, rows: Rows) -> None:
        """Write all rows, or none, as one new version of the table."""
        check_rows(rows, self.describe())
        if len(rows):
            merge = self._table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            merge.execute(table_of(rows, self.describe()))

    @_explained
    def delete(self, ids: Sequence[str]) -> None:
        """Remove documents."""
        for some in _in_parts(ids):
            self._table.delete(among("id", some))

    @_explained
    def delete_shard(self, shard: str) -> None:
        """Remove all documents of a shard."""
        self._table.delete(among("shard", [shard]))

    @_explained
    def settle(self) -> None:
        """Join small files, bring the text index up to date, and past ``FLAT_UP_TO`` rows that of vectors too."""
        from lancedb.index import HnswSq

        self._table.optimize()
        if self.count() > FLAT_UP_TO and not self._is_indexed("vector"):
            self._table.create_index("vector", config=HnswSq(distance_type=self.describe().similarity))
        self._table.optimize(cleanup_older_than=KEPT_FOR)

    @_explained
    def search(self, vector: Vectors, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return the k nearest among those that pass the filters."""
        described = self.describe()
        query = self._table.search(np.asarray(vector, np.float32), vector_column_name="vector", query_type="vector")
        query = query.distance_type(described.similarity).nprobes(PARTITIONS)
        query = query.ef(max(CANDIDATES * k, FEWEST_CANDIDATES)).refine_factor(COMPARED)
        found = _asked(query, where_clause(where, described), k, "_distance")
        return [Hit(doc_id, 1 - distance) for doc_id, distance in found]

    @_explained
    def search_text(self, text: str, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return the k best by BM25; English words count by their stems, and stop words do not."""
        clause = where_clause(where, self.describe())
        query = self._table.search(text, query_type="fts", fts_columns="content")
        return [Hit(doc_id, score) for doc_id, score in _asked(query, clause, k, "_score")]

    @_explained
    def fetch(self, ids: Sequence[str]) -> Rows:
        """Return documents in the order asked for."""
        described, wanted = self.describe(), list(dict.fromkeys(ids))
        tables = [schema_of(described).remove_metadata().empty_table()]
        for some in _in_parts(wanted):
            tables.append(self._table.search().where(among("id", some)).to_arrow())
        found = arrow().concat_tables(tables)
        places = {doc_id: place for place, doc_id in enumerate(found["id"].to_pylist())}
        order = np.array([places[doc_id] for doc_id in wanted if doc_id in places], np.int64)
        return rows_of(found.take(order), described)

    @_explained
    def shards(self) -> dict[str, int]:
        """Return how many documents come from each shard."""
        counted: Counter[str] = Counter()
        for batch in self._table.search().select(["shard"]).to_batches():
            counted.update({each["values"]: each["counts"] for each in batch["shard"].value_counts().to_pylist()})
        return dict(counted)

    @_explained
    def count(self) -> int:
        """Return how many documents there are."""
        return int(self._table.count_rows())

    @_explained
    def drop(self) -> None:
        """Remove the table."""
        self._database.drop_table(self._name, ignore_missing=True)
        self._opened = self._described = None

    def close(self) -> None:
        """Close the files."""
        self._opened = None

    @property
    def _table(self) -> Any:
        if self._opened is None:
            try:
                self._opened = self._database.open_table(self._name)
            except ValueError as error:
                if "not found" not in str(error):
                    raise
                raise MissingIndexError(self.uri) from error
        return self._opened

    def _is_indexed(self, column: str) -> bool:
        return any(index.columns == [column] for index in self._table.list_indices())


def _asked(query: Any, clause: str | None, k: int, score: str) -> Iterator[tuple[str, float]]:
    if clause is not None:
        query = query.where(clause, prefilter=True)
    found = query.select(["id", score]).limit(k).to_arrow()
    return zip(found["id"].to_pylist(), found[score].to_pylist(), strict=True)


def _in_parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + IDS_AT_ONCE] for start in range(0, len(ids), IDS_AT_ONCE))
