"""Milvus: a server or a cluster, with the same address format. Needs pymilvus."""

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from copy import copy
from time import monotonic
from typing import Any

import numpy as np

from boolattn.reading.reading import Documents
from boolattn.retrieval.index import description as descriptions
from boolattn.retrieval.index.checking import check_query, check_rows
from boolattn.retrieval.index.description import MissingIndexError
from boolattn.retrieval.index.milvus.client import SMALL, MilvusCalls, MilvusServerError, wait_until_searched
from boolattn.retrieval.index.milvus.schema import (
    DECLARED,
    METRICS,
    Entity,
    among,
    entities_of,
    expression,
    in_requests,
    index_parameters,
    literal,
    rows_of,
    schema_of,
)
from boolattn.retrieval.index.milvus.server_lock import server_lock
from boolattn.retrieval.index.protocol import Filter, Hit, IndexDescription, Rows, Vectors

CANDIDATES, MOST_CANDIDATES = 4, 32_768
"""Candidates in the graph search: per hit, and the maximum."""
FEWEST_CANDIDATES, FEWEST_FILTERED = 400, 1600
"""Minimum candidates; more with filters, because documents that fail them are candidates too."""
COLUMNS = ("id", "title", "content", "metadata", "vector")
IDS_AT_ONCE = 500
LOOKED_AFTER = 5.0
"""Seconds before the collection's description is fetched again; a call takes a millisecond or two."""
LATEST = {"consistency_level": "Strong"}
"""For reads that must see every write of every client; costs up to 0.2 s."""
OWN = {"consistency_level": "Session"}
"""For searches: they do not wait, and may miss very recent writes."""


class MilvusIndex:
    """One collection on a Milvus server or cluster."""

    has_text = False

    def __init__(self, address: str, name: str, uri: str, token: str = "") -> None:
        """Connect; the collection need not exist yet.

        Args:
            address: The server, as ``http://host:port``.
            name: The collection's name.
            uri: The full address, for messages.
            token: If the server requires one.
        """
        self._uri, self._name = uri, name
        self._client = MilvusCalls(address, token, uri)
        self._described: IndexDescription | None = None
        self._looked = 0.0
        self._has_written = False

    def create(self, description: IndexDescription) -> None:
        """Create the collection, or refuse one with another description."""
        if not self._client.has_collection(self._name):
            schema = schema_of(description)
            self._client.create_collection(self._name, schema=schema, **LATEST)
        descriptions.refuse_another(self._stored(), description, self._uri)
        # A run may have been interrupted between creating the collection and these; creating them again has no effect.
        self._client.create_index(self._name, index_parameters(description))
        self._client.load_collection(self._name)

    def write_lock(self) -> AbstractContextManager[None]:
        """Lock the collection across all machines."""
        return server_lock(self._client, self._name, self._uri)

    def unpublished(self) -> "MilvusIndex":
        """Return a second collection, with the same connection."""
        unpublished = copy(self)
        unpublished._name, unpublished._described = f"{self._name}__unpublished", None
        return unpublished

    def publish(self) -> None:
        """Rename the unpublished collection."""
        self._client.rename_collection(self.unpublished()._name, self._name)

    def declare(self, documents: Documents) -> None:
        """Store what the documents are as a property of the collection: its description cannot be changed."""
        self.describe()  # raises if the collection is missing or was not created by boolattn
        self._client.alter_collection_properties(self._name, {DECLARED: documents})
        self._described = self._stored()

    def describe(self) -> IndexDescription:
        """Return the collection's description, refreshed every few seconds because others may recreate it."""
        if self._described is None or monotonic() - self._looked > LOOKED_AFTER:
            if not self._client.has_collection(self._name):
                raise MissingIndexError(self._uri)
            self._described = descriptions.unchanged(self._stored(), self._described, self._uri)
            self._client.load_collection(self._name)
            self._looked = monotonic()
        return self._described

    def upsert(self, rows: Rows) -> None:
        """Write documents, in as many requests as necessary."""
        check_rows(rows, self.describe())
        self._has_written = True
        for request in in_requests(entities_of(rows, self.describe())):
            if self._count(among("id", [entity["id"] for entity in request])) or not self._inserted(request):
                self._client.upsert(self._name, request)

    def delete(self, ids: Sequence[str]) -> None:
        """Remove documents."""
        self._has_written = True
        for start in range(0, len(ids), IDS_AT_ONCE):
            self._client.delete(self._name, filter=among("id", ids[start : start + IDS_AT_ONCE]))

    def delete_shard(self, shard: str) -> None:
        """Remove all documents of a shard."""
        self._has_written = True
        self._client.delete(self._name, filter=f"shard == {literal(shard)}")

    def settle(self) -> None:
        """Flush writes, compact small segments, and wait until all have their graphs.

        Until then, Milvus searches new data with an approximate temporary index that misses more documents.
        """
        self._client.flush(self._name)
        if self.count() > SMALL:
            wait_until_searched(self._client, self._name)

    def refresh(self) -> None:
        """Let the server catch up with all writes, which a query that must see them waits for."""
        self._count(among("id", [""]))

    def search(self, vector: Vectors, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return the k nearest documents that pass the filters."""
        [found] = self._nearest(np.asarray(vector)[None], k, where, columns=())
        return [Hit(hit["id"], hit["distance"]) for hit in found]

    def nearest(self, vectors: Vectors, k: int, where: Sequence[Filter] = ()) -> Rows:
        """Return the k documents nearest to each vector (Q, D) that pass the filters; long ones are truncated."""
        if k * len(vectors) > IDS_AT_ONCE:  # more documents than one answer may contain
            found = self._nearest(vectors, k, where, columns=())
            return self.fetch([hit["id"] for hits in found for hit in hits])
        entities = {hit["id"]: hit["entity"] for hits in self._nearest(vectors, k, where, COLUMNS) for hit in hits}
        return rows_of(list(entities.values()), self.describe())

    def _nearest(self, vectors: Vectors, k: int, where: Sequence[Filter], columns: Sequence[str]) -> Any:
        described = self.describe()
        for vector in vectors:
            check_query(vector, described)
        candidates = min(max(CANDIDATES * k, FEWEST_FILTERED if where else FEWEST_CANDIDATES), MOST_CANDIDATES)
        parameters = {"metric_type": METRICS[described.similarity], "params": {"ef": candidates}}
        return self._client.search(
            self._name,
            [*np.asarray(vectors, np.float32)],
            expression(where, described),
            k,
            anns_field="vector",
            search_params=parameters,
            output_fields=[*columns],
            **OWN,
        )

    def search_text(self, text: str, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Raise: boolattn does not use Milvus's full-text search."""
        raise ValueError(f"{self._uri} has no full-text search: use vector search only, or lance://")

    def fetch(self, ids: Sequence[str]) -> Rows:
        """Return documents in the given order; long ones are truncated to Milvus's limit."""
        described, wanted = self.describe(), list(dict.fromkeys(ids))
        # A client that only searches must fetch what its searches saw, so it does not wait for the latest writes. Under
        # load, such a query may miss documents that are just being rewritten; one that waits finds them.
        found = self._entities(wanted, LATEST if self._has_written else OWN)
        if not self._has_written and (missing := [doc_id for doc_id in wanted if doc_id not in found]):
            found |= self._entities(missing, LATEST)
        return rows_of([found[doc_id] for doc_id in wanted if doc_id in found], described)

    def shards(self) -> dict[str, int]:
        """Return how many documents come from each shard."""
        total, counted = self.count(), Counter[str]()
        while counted.total() < total:  # no GROUP BY: find unknown shards, then count each
            others = f"not ({among('shard', counted)})" if counted else ""
            found = self._client.query(self._name, others, output_fields=["shard"], limit=1000, **LATEST)
            if not found:
                break
            counted.update(
                {shard: self._count(f"shard == {literal(shard)}") for shard in {row["shard"] for row in found}}
            )
        return dict(counted)

    def shards_of(self, ids: Sequence[str]) -> dict[str, int]:
        """Return how many of these documents come from each shard."""
        self.describe()  # the collection exists and is loaded
        counted = Counter[str]()
        for start in range(0, len(ids), IDS_AT_ONCE):
            some = among("id", ids[start : start + IDS_AT_ONCE])
            counted.update(
                row["shard"] for row in self._client.query(self._name, some, output_fields=["shard"], **LATEST)
            )
        return dict(counted)

    def count(self) -> int:
        """Return the number of documents."""
        return self._count("")

    def drop(self) -> None:
        """Remove the collection, also if unfinished; a collection not created by boolattn is refused."""
        for index in (self, self.unpublished()):
            if self._client.has_collection(index._name):
                index._stored()
                self._client.drop_collection(index._name)
        self._described = None

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _stored(self) -> IndexDescription:
        """Fetch the collection's description."""
        found = self._client.describe_collection(self._name)
        return descriptions.read(found["description"], self._uri, found["properties"].get(DECLARED))

    def _inserted(self, request: list[Entity]) -> bool:
        """Insert new documents; return whether they were certainly written exactly once.

        An upsert would record a deletion for every document, new or not, and Milvus would then rebuild all graphs.
        """
        try:
            self._client.insert(self._name, request, retry_times=0)  # a retry could write them twice
        except MilvusServerError:
            return False
        return True

    def _entities(self, ids: Sequence[str], consistency: dict[str, str]) -> dict[str, Entity]:
        found: dict[str, Entity] = {}
        for start in range(0, len(ids), IDS_AT_ONCE):
            some = among("id", ids[start : start + IDS_AT_ONCE])
            asked = self._client.query(self._name, some, output_fields=[*COLUMNS], **consistency)
            found |= {row["id"]: row for row in asked}
        return found

    def _count(self, which: str) -> int:
        self.describe()  # the collection exists and is loaded
        return int(self._client.query(self._name, which, output_fields=["count(*)"], **LATEST)[0]["count(*)"])
