"""Searches with an index's own client, without boolattn, to compare with. Imports no torch."""

from collections.abc import Callable
from typing import Any

from boolattn.retrieval.index.lance import lance_index as lance
from boolattn.retrieval.index.milvus import milvus_index as milvus
from boolattn.retrieval.index.milvus.schema import METRICS
from boolattn.retrieval.index.open_index import parse_address

BareSearch = Callable[..., list[str]]
"""(vector, k, candidates=None) -> IDs. Candidates are those of the graph search; None uses boolattn's own number."""


def bare_search(uri: str, similarity: str) -> BareSearch:
    """Return a function that queries an index's own client for the k nearest neighbours of a vector."""
    backend, where, name = parse_address(uri)
    if backend == "memory":
        raise ValueError(f"{uri} has no client to compare with: use lance:// or milvus://")
    return _bare_milvus(where, name, similarity) if backend == "milvus" else _bare_lance(where, name, similarity)


def _bare_lance(folder: str, name: str, similarity: str) -> BareSearch:
    import lancedb

    table: Any = lancedb.connect(folder).open_table(name)

    def ask(vector: Any, k: int, candidates: int | None = None) -> list[str]:
        query = table.search(vector, vector_column_name="vector", query_type="vector").distance_type(similarity)
        query = query.nprobes(lance.PARTITIONS)
        query = query.ef(candidates or max(lance.CANDIDATES * k, lance.FEWEST_CANDIDATES))
        query = query.refine_factor(lance.COMPARED).select(["id", "_distance"]).limit(k)
        ids: list[str] = query.to_arrow()["id"].to_pylist()
        return ids

    return ask


def _bare_milvus(address: str, name: str, similarity: Any) -> BareSearch:
    from pymilvus import MilvusClient

    client: Any = MilvusClient(address)

    def ask(vector: Any, k: int, candidates: int | None = None) -> list[str]:
        candidates = candidates or max(milvus.CANDIDATES * k, milvus.FEWEST_CANDIDATES)
        parameters = {"metric_type": METRICS[similarity], "params": {"ef": candidates}}
        found = client.search(
            name, [vector], "", k, anns_field="vector", search_params=parameters, output_fields=[], **milvus.OWN
        )
        return [hit["id"] for hit in found[0]]

    return ask
