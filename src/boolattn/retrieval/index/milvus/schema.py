"""A collection's fields and indexes in Milvus."""

import re
from typing import Any

from boolattn.retrieval.index.description import written
from boolattn.retrieval.index.milvus.rows import LONGEST
from boolattn.retrieval.index.protocol import IndexDescription

METRICS = {"cosine": "COSINE", "dot": "IP"}
BM25 = "bm25"
"""The field of sparse vectors that servers with full-text search make from ``content``."""
_FIRST_WITH_BM25 = (2, 5)


def knows_bm25(version: str) -> bool:
    """Return whether a server of this version, such as "v2.3.5-lite", has full-text search."""
    numbers = re.match(r"v?(\d+)\.(\d+)", version)
    return numbers is not None and tuple(map(int, numbers.groups())) >= _FIRST_WITH_BM25


def schema_of(description: IndexDescription, with_bm25: bool) -> Any:
    """Return the fields; the description is kept in the collection's own."""
    from pymilvus import DataType, Function, FunctionType, MilvusClient

    schema = MilvusClient.create_schema(description=written(description))
    schema.add_field("id", DataType.VARCHAR, is_primary=True, max_length=LONGEST)
    schema.add_field("title", DataType.VARCHAR, max_length=LONGEST)
    schema.add_field("shard", DataType.VARCHAR, max_length=LONGEST)
    schema.add_field("metadata", DataType.JSON)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=description.dimension)
    if not with_bm25:
        schema.add_field("content", DataType.VARCHAR, max_length=LONGEST)
        return schema
    english = {"type": "english"}  # stems, and no stop words
    schema.add_field("content", DataType.VARCHAR, max_length=LONGEST, enable_analyzer=True, analyzer_params=english)
    schema.add_field(BM25, DataType.SPARSE_FLOAT_VECTOR)
    schema.add_function(Function(BM25, FunctionType.BM25, input_field_names=["content"], output_field_names=[BM25]))
    return schema


def index_parameters(description: IndexDescription, with_bm25: bool) -> Any:
    """Return the indexes: a graph for vectors, an inverted one for words."""
    from pymilvus import MilvusClient

    parameters = MilvusClient.prepare_index_params()
    parameters.add_index(
        "vector",
        index_name="vector",
        index_type="HNSW",
        metric_type=METRICS[description.similarity],
        params={"M": 16, "efConstruction": 200},
    )
    if with_bm25:
        parameters.add_index(BM25, index_name=BM25, index_type="SPARSE_INVERTED_INDEX", metric_type="BM25")
    return parameters
