"""A collection's fields and indexes in Milvus, and filters as its expressions."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from boolattn.retrieval.index.checking import check_filters, values_of
from boolattn.retrieval.index.description import field_columns, written
from boolattn.retrieval.index.milvus.rows import LONGEST
from boolattn.retrieval.index.protocol import Filter, IndexDescription, Value

METRICS = {"cosine": "COSINE", "dot": "IP"}
BM25 = "bm25"
"""The field of sparse vectors that servers with full-text search compute from ``content``."""
DECLARED = "boolattn.documents"
"""The collection property of a later declaration of what the documents are."""
_FIRST_WITH_BM25 = (2, 5)


def knows_bm25(version: str) -> bool:
    """Whether a server of this version, such as "v2.3.5-lite", has full-text search."""
    numbers = re.match(r"v?(\d+)\.(\d+)", version)
    return numbers is not None and tuple(map(int, numbers.groups())) >= _FIRST_WITH_BM25


def schema_of(description: IndexDescription, with_bm25: bool) -> Any:
    """Return the fields; the index description is stored as the collection's description."""
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
    english = {"type": "english"}  # stemming, without stop words
    schema.add_field("content", DataType.VARCHAR, max_length=LONGEST, enable_analyzer=True, analyzer_params=english)
    schema.add_field(BM25, DataType.SPARSE_FLOAT_VECTOR)
    schema.add_function(Function(BM25, FunctionType.BM25, input_field_names=["content"], output_field_names=[BM25]))
    return schema


def index_parameters(description: IndexDescription, with_bm25: bool) -> Any:
    """Return the indexes: a graph for vectors, an inverted index for words."""
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


def literal(value: Value) -> str:
    """Return a value for an expression: as JSON, but without escaping letters."""
    return json.dumps(value, ensure_ascii=False)


def among(column: str, values: Iterable[Value]) -> str:
    """Return the expression that a column has one of these values."""
    return f"{column} in [{', '.join(map(literal, values))}]"


def expression(where: Sequence[Filter], description: IndexDescription) -> str:
    """Return all filters as one expression, empty if there are none; a document without the field fails its filter."""
    check_filters(where, description)
    columns = field_columns(description)
    return " and ".join(_written(f'metadata["{columns[each.name]}"]', each) for each in where)


def _written(field: str, given: Filter) -> str:
    values = values_of(given)
    if given.comparison == "in":
        # A list must have one type.
        return among(field, map(float, values) if any(isinstance(value, float) for value in values) else values)
    [value] = values
    if given.comparison == "!=":
        # Milvus's own != also matches documents without the field.
        if isinstance(value, bool):
            return f"{field} == {literal(not value)}"
        return f"({field} < {literal(value)} or {field} > {literal(value)})"
    return f"{field} {'==' if given.comparison == '=' else given.comparison} {literal(value)}"
