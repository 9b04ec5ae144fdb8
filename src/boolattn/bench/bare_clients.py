"""LanceDB's and Milvus's own clients, called as our indexes call them: what ours are measured against."""

from collections.abc import Callable
from typing import Any

from boolattn.retrieval.index.lance import lance_index as lance
from boolattn.retrieval.index.milvus import milvus_index as milvus
from boolattn.retrieval.index.milvus.schema import METRICS
from boolattn.retrieval.index.open_index import parse_address


def bare_search(uri: str, similarity: str) -> Callable[[Any, int], Any]:
    """Return a function that asks an index's own client for the k nearest to a vector."""
    backend, where, name = parse_address(uri)
    if backend == "memory":
        raise ValueError(f"{uri} has no client of its own to compare with: measure lance:// or milvus://")
    return _bare_milvus(where, name, similarity) if backend == "milvus" else _bare_lance(where, name, similarity)


def _bare_lance(folder: str, name: str, similarity: str) -> Callable[[Any, int], Any]:
    import lancedb

    table: Any = lancedb.connect(folder).open_table(name)

    def ask(vector: Any, k: int) -> Any:
        query = table.search(vector, vector_column_name="vector", query_type="vector").distance_type(similarity)
        query = query.nprobes(lance.PARTITIONS).ef(max(lance.CANDIDATES * k, lance.FEWEST_CANDIDATES))
        return query.refine_factor(lance.COMPARED).select(["id", "_distance"]).limit(k).to_arrow()

    return ask


def _bare_milvus(address: str, name: str, similarity: Any) -> Callable[[Any, int], Any]:
    from pymilvus import MilvusClient

    client: Any = MilvusClient(address)

    def ask(vector: Any, k: int) -> Any:
        candidates = max(milvus.CANDIDATES * k, milvus.FEWEST_CANDIDATES)
        parameters = {"metric_type": METRICS[similarity], "params": {"ef": candidates}}
        return client.search(
            name, [vector], "", k, anns_field="vector", search_params=parameters, output_fields=[], **milvus.OWN
        )

    return ask
