"""LanceDB: files in a folder or in object storage, without a server. Needs lancedb."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from boolattn.reading.reading import Documents
from boolattn.retrieval.index import description as descriptions
from boolattn.retrieval.index.checking import check_query, check_rows
from boolattn.retrieval.index.deadline import timeout_of
from boolattn.retrieval.index.description import MissingIndexError
from boolattn.retrieval.index.lance.table import (
    DECLARED,
    KEPT,
    among,
    explained,
    rows_of,
    schema_of,
    table_of,
    where_clause,
)
from boolattn.retrieval.index.protocol import Filter, Hit, IndexDescription, Rows, Vectors
from boolattn.retrieval.shards.parquet import arrow
from boolattn.retrieval.write_lock import write_lock

FLAT_UP_TO = 5_000
"""Up to this many rows, every vector is compared: at 384 dimensions, this is as fast as an index (12 ms)."""
PARTITIONS = 64
"""Partitions to search, of about a million vectors each: up to 64 million vectors, all partitions."""
CANDIDATES, FEWEST_CANDIDATES = 4, 400
"""Candidates in the graph search: per hit, and the minimum."""
COMPARED = 2
"""Candidates per hit that are rescored with exact vectors; the index stores rounded ones."""
SEEN_AFTER = timedelta(seconds=5)
"""How long a reader may not see other processes' writes."""
KEPT_FOR = timedelta(minutes=1)
"""How long outdated files are kept: longer than a reader may use them."""
LONGEST_WAIT = 60.0
"""Seconds that a write waits for another client's; a caller may wait for less."""
IDS_AT_ONCE = 1000
UNPUBLISHED = "__unpublished"
"""Suffix of a table's name while it is filled for the first time."""


class LanceIndex:
    """One table of a LanceDB database. Clients of local files may write at once; in object storage, use one writer."""

    has_text = True

    def __init__(self, folder: str, name: str, uri: str) -> None:
        """Open a table, which need not exist yet.

        Args:
            folder: The database: a path or an object storage address.
            name: The table's name.
            uri: The full address, for messages.
        """
        try:
            import lancedb
        except ImportError as error:
            raise ImportError("lance:// needs the package lancedb: pip install 'boolattn[search]'") from error
        self.uri = uri
        self._folder, self._name = folder, name
        self._files = None if "://" in folder else Path(folder) / f"{name}.lance"  # object storage has no folders
        self._connect = partial(lancedb.connect, folder, read_consistency_interval=SEEN_AFTER)
        self._opened: Any = None
        self._described: IndexDescription | None = None

    @explained
    def create(self, description: IndexDescription) -> None:
        """Create the table, or refuse one with another description."""
        from lancedb.index import FTS, BTree

        try:
            descriptions.refuse_another(self.describe(), description, self.uri)
        except MissingIndexError:
            self._opened = self._database.create_table(self._name, schema=schema_of(description))
        # A run may have been interrupted between creating the table and these indexes.
        if not self._is_indexed("id"):
            self._table.create_index("id", config=BTree())
        if not self._is_indexed("content"):
            self._table.create_index("content", config=FTS(language="English", stem=True, remove_stop_words=True))

    def write_lock(self) -> AbstractContextManager[None]:
        """Lock the table with a file next to it; in object storage, there is no lock."""
        if self._files is None:
            return nullcontext()
        self._files.parent.mkdir(parents=True, exist_ok=True)
        return write_lock(self._files.with_suffix(".lock"), self.uri)

    def unpublished(self) -> "LanceIndex":
        """Return a second table; in object storage, which cannot rename tables, return this one."""
        return self if self._files is None else LanceIndex(self._folder, f"{self._name}{UNPUBLISHED}", self.uri)

    def publish(self) -> None:
        """Rename the files of the unpublished table."""
        made = self.unpublished()
        if made._files is not None and self._files is not None:
            made._files.rename(self._files)
            self.close()

    @explained
    def declare(self, documents: Documents) -> None:
        """Store what the documents are in a field's metadata, because LanceDB cannot change the schema's."""
        self.describe()  # raises if the table is missing or was not created by boolattn
        with self._writing() as table:
            table.update_field_metadata({"path": "id", "metadata": {DECLARED: documents}})

    @explained
    def describe(self) -> IndexDescription:
        """Return the description in the table's schema, read every time because others may recreate the table."""
        schema = self._table.schema
        declared = (schema.field("id").metadata or {}).get(DECLARED.encode()) if "id" in schema.names else None
        now = descriptions.read((schema.metadata or {}).get(KEPT), self.uri, declared)
        self._described = descriptions.unchanged(now, self._described, self.uri)
        return self._described

    @explained
    def upsert(self, rows: Rows) -> None:
        """Write all rows or none, as one new version of the table; ``BusyError`` if another writer takes too long.

        In object storage, which has no locks, use one writer: clients that add the same new ID at once may store it
        twice.
        """
        described = self.describe()
        check_rows(rows, described)
        if len(rows):
            documents = table_of(rows, described)
            with self._writing() as table:
                merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
                merge.execute(documents)

    @explained
    def delete(self, ids: Sequence[str]) -> None:
        """Remove documents."""
        for some in _in_parts(ids):
            with self._writing() as table:
                table.delete(among("id", some))

    @explained
    def delete_shard(self, shard: str) -> None:
        """Remove all documents of a shard."""
        with self._writing() as table:
            table.delete(among("shard", [shard]))

    @explained
    def settle(self) -> None:
        """Compact small files, and update the text index and, past ``FLAT_UP_TO`` rows, the vector index."""
        from lancedb.index import HnswSq

        self._optimize()
        if self.count() > FLAT_UP_TO and not self._is_indexed("vector"):
            self._table.create_index("vector", config=HnswSq(distance_type=self.describe().similarity))
        self._optimize(cleanup_older_than=KEPT_FOR)

    @explained
    def refresh(self) -> None:
        """Read the newest version of the table."""
        self._table.checkout_latest()

    @explained
    def search(self, vector: Vectors, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return the k nearest documents that pass the filters."""
        found = self._nearest(np.asarray(vector)[None], k, where).select(["id", "_distance"]).to_arrow()
        return [Hit(doc_id, 1 - distance) for doc_id, distance in _pairs(found, "_distance")]

    @explained
    def nearest(self, vectors: Vectors, k: int, where: Sequence[Filter] = ()) -> Rows:
        """Return the k documents nearest to each vector (Q, D) that pass the filters, with their texts and vectors."""
        found = self._nearest(vectors, k, where).to_arrow()
        places = {doc_id: place for place, doc_id in reversed([*enumerate(found["id"].to_pylist())])}
        return rows_of(found.take(np.array(sorted(places.values()), np.int64)), self.describe())

    def _nearest(self, vectors: Vectors, k: int, where: Sequence[Filter]) -> Any:
        described = self.describe()
        for vector in vectors:
            check_query(vector, described)
        asked = np.asarray(vectors, np.float32)
        asked = asked[0] if len(asked) == 1 else asked  # LanceDB numbers the hits of several
        query = self._table.search(asked, vector_column_name="vector", query_type="vector")
        query = query.distance_type(described.similarity).nprobes(PARTITIONS)
        query = query.ef(max(CANDIDATES * k, FEWEST_CANDIDATES)).refine_factor(COMPARED)
        return _filtered(query, where_clause(where, described)).limit(k)

    @explained
    def search_text(self, text: str, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return the k best documents by BM25, with English stemming and stop words."""
        query = self._table.search(text, query_type="fts", fts_columns="content")
        query = _filtered(query, where_clause(where, self.describe())).limit(k)
        return [Hit(*each) for each in _pairs(query.select(["id", "_score"]).to_arrow(), "_score")]

    @explained
    def fetch(self, ids: Sequence[str]) -> Rows:
        """Return documents in the given order."""
        described, wanted = self.describe(), list(dict.fromkeys(ids))
        tables = [schema_of(described).remove_metadata().empty_table()]
        for some in _in_parts(wanted):
            tables.append(self._table.search().where(among("id", some)).to_arrow())
        found = arrow().concat_tables(tables)
        places = {doc_id: place for place, doc_id in enumerate(found["id"].to_pylist())}
        order = np.array([places[doc_id] for doc_id in wanted if doc_id in places], np.int64)
        return rows_of(found.take(order), described)

    @explained
    def shards(self) -> dict[str, int]:
        """Return how many documents come from each shard."""
        return _counted(self._table.search())

    @explained
    def shards_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Return how many of these documents come from each shard."""
        counted: Counter[str] = Counter()
        for some in _in_parts(ids):
            counted.update(_counted(self._table.search().where(among("id", some))))
        return dict(counted)

    @explained
    def count(self) -> int:
        """Return the number of documents."""
        return int(self._table.count_rows())

    @explained
    def drop(self) -> None:
        """Remove the table, also if unfinished; a table not created by boolattn is refused."""
        for index in {id(each): each for each in (self, self.unpublished())}.values():
            try:
                index.describe()
            except MissingIndexError:
                continue
            index._database.drop_table(index._name)
            index._opened = index._described = None

    def close(self) -> None:
        """Close the files."""
        self._opened = None

    @cached_property
    def _database(self) -> Any:
        return self._connect()  # creates the folder

    @property
    def _table(self) -> Any:
        if self._opened is None:
            if self._files is not None and not self._files.exists():
                raise MissingIndexError(self.uri)
            try:
                self._opened = self._database.open_table(self._name)
            except ValueError as error:
                if "not found" not in str(error):
                    raise
                raise MissingIndexError(self.uri) from error
        return self._opened

    def _optimize(self, **settings: Any) -> None:
        """Update files and indexes; others can write meanwhile, because it may take minutes."""
        self.refresh()
        try:
            self._table.optimize(**settings)
        except RuntimeError as error:
            if "conflict" not in str(error):
                raise
            with self._writing() as table:  # others write so often that they must wait
                table.optimize(**settings)

    @contextmanager
    def _writing(self) -> Iterator[Any]:
        """Yield the newest version of the table; in local files, nobody else writes meanwhile."""
        table = self._table  # a missing one is reported before a lock file is created
        file = self._files and self._files.with_suffix(".writing")
        with write_lock(file, self.uri, timeout_of(LONGEST_WAIT)) if file else nullcontext():
            table.checkout_latest()  # LanceDB would insert a second time what others have written since it looked
            yield table

    def _is_indexed(self, column: str) -> bool:
        return any(index.columns == [column] for index in self._table.list_indices())


def _filtered(query: Any, clause: str | None) -> Any:
    return query if clause is None else query.where(clause, prefilter=True)


def _pairs(found: Any, score: str) -> Iterator[tuple[str, float]]:
    return zip(found["id"].to_pylist(), found[score].to_pylist(), strict=True)


def _counted(query: Any) -> dict[str, int]:
    """Return how many rows of a query come from each shard."""
    counted: Counter[str] = Counter()
    for batch in query.select(["shard"]).to_batches():
        counted.update({each["values"]: each["counts"] for each in batch["shard"].value_counts().to_pylist()})
    return dict(counted)


def _in_parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + IDS_AT_ONCE] for start in range(0, len(ids), IDS_AT_ONCE))
