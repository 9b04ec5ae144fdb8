"""Milvus: a server, or a cluster of many, both by the same address. Needs pymilvus."""

from collections import Counter
from collections.abc import Sequence
from time import monotonic
from typing import Any

import numpy as np

from boolattn.retrieval.index import description as descriptions
from boolattn.retrieval.index.checking import check_rows
from boolattn.retrieval.index.description import MissingIndexError
from boolattn.retrieval.index.milvus.client import SMALL, MilvusCalls, MilvusServerError, wait_until_searched
from boolattn.retrieval.index.milvus.rows import Entity, entities_of, in_requests, rows_of
from boolattn.retrieval.index.milvus.schema import (
    BM25,
    METRICS,
    among,
    expression,
    index_parameters,
    knows_bm25,
    literal,
    schema_of,
)
from boolattn.retrieval.index.protocol import Filter, Hit, IndexDescription, Rows, Vectors

CANDIDATES, MOST_CANDIDATES = 4, 32_768
"""How many candidates the graph is searched for: so many for each hit asked for, and no more than so many."""
FEWEST_CANDIDATES, FEWEST_FILTERED = 400, 1600
"""And no fewer than so many; more with filters, for documents that do not pass them are candidates too."""
IDS_AT_ONCE = 500
LOOKED_AFTER = 5.0
"""Seconds after which what is known of the collection is asked for again; a call, of a millisecond or two."""
LATEST = {"consistency_level": "Strong"}
"""For reads that must see every write, whoever made it; it costs up to 0.2 s."""
OWN = {"consistency_level": "Session"}
"""For searches: they do not wait, and may miss what was written a moment ago."""


class MilvusIndex:
    """One collection of a Milvus server or cluster."""

    def __init__(self, address: str, name: str, uri: str, token: str = "") -> None:
        """Connect; the collection need not be there yet.

        Args:
            address: Of the server, as ``http://host:port``.
            name: Of the collection.
            uri: Of both, as people write it, for messages.
            token: If the server asks for one.
        """
        self._uri, self._name = uri, name
        self._client = MilvusCalls(address, token, uri)
        self.has_text = knows_bm25(self._client.get_server_version())
        self._described: IndexDescription | None = None
        self._looked = 0.0
        self._has_written = False

    def create(self, description: IndexDescription) -> None:
        """Make the collection, or refuse one of another description."""
        if not self._client.has_collection(self._name):
            schema = schema_of(description, with_bm25=self.has_text)
            self._client.create_collection(self._name, schema=schema, **LATEST)
        existing = descriptions.read(self._client.describe_collection(self._name)["description"], self._uri)
        descriptions.refuse_another(existing, description, self._uri)
        # A run may have been stopped after it made the collection and before it made these; made twice, they are one.
        self._client.create_index(self._name, index_parameters(description, with_bm25=self.has_text))
        self._client.load_collection(self._name)

    def describe(self) -> IndexDescription:
        """Return the description that the collection keeps, looked at now and then: others may make it anew."""
        if self._described is None or monotonic() - self._looked > LOOKED_AFTER:
            if not self._client.has_collection(self._name):
                raise MissingIndexError(self._uri)
            now = descriptions.read(self._client.describe_collection(self._name)["description"], self._uri)
            self._described = descriptions.unchanged(now, self._described, self._uri)
            self._client.load_collection(self._name)
            self._looked = monotonic()
        return self._described

    def upsert(self, rows: Rows) -> None:
        """Write documents, in as many requests as they need."""
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
        """Seal what was written, put small pieces together, and wait until the graphs of all are searched.

        Before that, Milvus searches what is new by a rough index of its own, and misses more.
        """
        self._client.flush(self._name)
        if self.count() > SMALL:
            wait_until_searched(self._client, self._name)

    def search(self, vector: Vectors, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return the k nearest among those that pass the filters."""
        described = self.describe()
        candidates = min(max(CANDIDATES * k, FEWEST_FILTERED if where else FEWEST_CANDIDATES), MOST_CANDIDATES)
        parameters = {"metric_type": METRICS[described.similarity], "params": {"ef": candidates}}
        return self._asked(np.asarray(vector, np.float32), "vector", parameters, k, where)

    def search_text(self, text: str, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return the k best by BM25; only servers of version 2.5 or later can."""
        if not self.has_text:
            raise ValueError(
                f"{self._uri} has no full-text search: Milvus has it from version 2.5 on, and this server is "
                f"{self._client.get_server_version()}. Search by vectors only, or use a newer server or lance://"
            )
        return self._asked(text, BM25, {"metric_type": "BM25"}, k, where)

    def fetch(self, ids: Sequence[str]) -> Rows:
        """Return documents in the order asked for; long ones are cut to what Milvus holds."""
        described, wanted = self.describe(), list(dict.fromkeys(ids))
        seeing = LATEST if self._has_written else OWN  # who only searches fetches what a search has seen
        found: dict[str, Any] = {}
        for start in range(0, len(wanted), IDS_AT_ONCE):
            some = among("id", wanted[start : start + IDS_AT_ONCE])
            columns = ["id", "title", "content", "metadata", "vector"]
            found |= {row["id"]: row for row in self._client.query(self._name, some, output_fields=columns, **seeing)}
        return rows_of([found[doc_id] for doc_id in wanted if doc_id in found], described)

    def shards(self) -> dict[str, int]:
        """Return how many documents come from each shard."""
        total, counted = self.count(), Counter[str]()
        while counted.total() < total:  # there is no GROUP BY: find shards not yet known, then count each
            others = f"not ({among('shard', counted)})" if counted else ""
            found = self._client.query(self._name, others, output_fields=["shard"], limit=1000, **LATEST)
            if not found:
                break
            counted.update(
                {shard: self._count(f"shard == {literal(shard)}") for shard in {row["shard"] for row in found}}
            )
        return dict(counted)

    def count(self) -> int:
        """Return how many documents there are."""
        return self._count("")

    def drop(self) -> None:
        """Remove the collection."""
        self._client.drop_collection(self._name)
        self._described = None

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _inserted(self, request: list[Entity]) -> bool:
        """Write documents that are not there yet; return whether that is sure to have been done, and done once.

        An upsert notes a deletion for every document, new or not, for which Milvus later builds all graphs anew.
        """
        try:
            self._client.insert(self._name, request, retry_times=0)  # tried again, it could write them twice
        except MilvusServerError:
            return False
        return True

    def _count(self, which: str) -> int:
        self.describe()  # the collection is there, and loaded
        return int(self._client.query(self._name, which, output_fields=["count(*)"], **LATEST)[0]["count(*)"])

    def _asked(self, query: Any, field: str, parameters: Any, k: int, where: Sequence[Filter]) -> list[Hit]:
        which = expression(where, self.describe())
        [hits] = self._client.search(
            self._name, [query], which, k, anns_field=field, search_params=parameters, output_fields=[], **OWN
        )
        return [Hit(hit["id"], hit["distance"]) for hit in hits]
