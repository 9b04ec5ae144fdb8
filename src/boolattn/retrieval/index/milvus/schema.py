"""A collection's fields and indexes in Milvus, and filters as its expressions."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from boolattn.retrieval.index.checking import check_filters, values_of
from boolattn.retrieval.index.description import content_of, field_columns, text_of, written
from boolattn.retrieval.index.protocol import Filter, IndexDescription, Rows, Value

LONGEST = 65_535
"""Maximum bytes of a Milvus string."""
LARGEST_REQUEST = 16_000_000
"""Bytes of documents per request; servers accept 64 MB."""

Entity = dict[str, Any]


def entities_of(rows: Rows, description: IndexDescription) -> Iterator[Entity]:
    """Yield documents as Milvus entities; long titles and texts are truncated, long IDs refused."""
    columns = field_columns(description)
    parts = zip(rows.ids, rows.titles, rows.texts, rows.vectors, rows.metadata, strict=True)
    for doc_id, title, text, vector, fields in parts:
        stored = {columns[name]: _stored(value, description.metadata[name]) for name, value in fields.items()}
        _refuse_long(doc_id, "its ID", doc_id.encode())
        _refuse_long(doc_id, "its metadata", msgspec.json.encode(stored))
        title = _cut(title)
        yield {
            "id": doc_id,
            "title": title,
            "content": _cut(content_of(title, text)),
            "shard": rows.shard,
            "metadata": stored,
            "vector": vector.astype(np.float32),
        }


def in_requests(entities: Iterator[Entity]) -> Iterator[list[Entity]]:
    """Yield entities in lists that fit into one request."""
    request: list[Entity] = []
    size = 0
    for entity in entities:
        size += _size(entity)
        if request and size > LARGEST_REQUEST:
            yield request
            request, size = [], _size(entity)
        request.append(entity)
    if request:
        yield request


def rows_of(entities: Sequence[Mapping[str, Any]], description: IndexDescription) -> Rows:
    """Return entities as documents, without a shard, because they may come from several."""
    names = {column: name for name, column in field_columns(description).items()}
    vectors = np.array([entity["vector"] for entity in entities], np.float32)
    return Rows(
        ids=[entity["id"] for entity in entities],
        titles=[entity["title"] for entity in entities],
        texts=[text_of(entity["title"], entity["content"]) for entity in entities],
        vectors=vectors.reshape(len(entities), description.dimension),
        metadata=[{names[column]: value for column, value in entity["metadata"].items()} for entity in entities],
    )


def _stored(value: Value, kind: str) -> Value:
    return float(value) if kind == "number" else value


def _cut(text: str) -> str:
    """Truncate a text to the limit, without splitting a character."""
    return text.encode()[:LONGEST].decode(errors="ignore")


def _refuse_long(doc_id: str, what: str, content: bytes) -> None:
    if len(content) > LONGEST:
        raise ValueError(
            f"document {doc_id[:40]!r}: {what} has {len(content)} bytes, but Milvus allows {LONGEST}: shorten it"
        )


def _size(entity: Entity) -> int:
    texts = sum(len(entity[name].encode()) for name in ("id", "title", "content", "shard"))
    return texts + len(msgspec.json.encode(entity["metadata"])) + int(entity["vector"].nbytes)


METRICS = {"cosine": "COSINE", "dot": "IP"}
DECLARED = "boolattn.documents"
"""The collection property of a later declaration of what the documents are."""


def schema_of(description: IndexDescription) -> Any:
    """Return the fields; the index description is stored as the collection's description."""
    from pymilvus import DataType, MilvusClient

    schema = MilvusClient.create_schema(description=written(description))
    schema.add_field("id", DataType.VARCHAR, is_primary=True, max_length=LONGEST)
    for name in ("title", "shard", "content"):
        schema.add_field(name, DataType.VARCHAR, max_length=LONGEST)
    schema.add_field("metadata", DataType.JSON)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=description.dimension)
    return schema


def index_parameters(description: IndexDescription) -> Any:
    """Return the index: a graph for vectors."""
    from pymilvus import MilvusClient

    parameters = MilvusClient.prepare_index_params()
    parameters.add_index(
        "vector",
        index_name="vector",
        index_type="HNSW",
        metric_type=METRICS[description.similarity],
        params={"M": 16, "efConstruction": 200},
    )
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
