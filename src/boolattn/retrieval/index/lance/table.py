"""Documents as a LanceDB table, and filters in its SQL."""

from collections.abc import Iterable, Sequence
from typing import Any

from boolattn.retrieval.index.checking import check_filters, values_of
from boolattn.retrieval.index.description import content_of, field_columns, text_of, written
from boolattn.retrieval.index.protocol import Filter, IndexDescription, Kind, Rows, Value
from boolattn.retrieval.vectors.parquet import arrow

KEPT = b"boolattn"
"""The key of the description in a schema's metadata."""
DECLARED = "boolattn.documents"
"""The key, in the metadata of the ID column, of a later declaration of what the documents are."""
_TYPES: dict[Kind, str] = {"text": "string", "integer": "int64", "number": "float64", "boolean": "bool_"}


def schema_of(description: IndexDescription) -> Any:
    """Return the columns of an index."""
    pyarrow = arrow()
    texts = [pyarrow.field(name, pyarrow.string(), nullable=False) for name in ("id", "title", "content", "shard")]
    vector = pyarrow.field("vector", pyarrow.list_(pyarrow.float32(), description.dimension), nullable=False)
    fields = [
        pyarrow.field(column, getattr(pyarrow, _TYPES[description.metadata[name]])())
        for name, column in field_columns(description).items()
    ]
    return pyarrow.schema([*texts, vector, *fields], metadata={KEPT: written(description)})


def table_of(rows: Rows, description: IndexDescription) -> Any:
    """Return documents as the columns of ``schema_of``."""
    pyarrow, schema = arrow(), schema_of(description).remove_metadata()
    columns: dict[str, Any] = {
        "id": rows.ids,
        "title": rows.titles,
        "content": [content_of(*both) for both in zip(rows.titles, rows.texts, strict=True)],
        "shard": [rows.shard] * len(rows),
    }
    numbers = pyarrow.array(rows.vectors.astype("float32").reshape(-1))
    columns["vector"] = pyarrow.FixedSizeListArray.from_arrays(numbers, type=schema.field("vector").type)
    for name, column in field_columns(description).items():
        columns[column] = pyarrow.array([fields.get(name) for fields in rows.metadata], schema.field(column).type)
    return pyarrow.table(columns, schema=schema)


def rows_of(table: Any, description: IndexDescription) -> Rows:
    """Return the documents of a table, without a shard, because they may come from several."""
    titles, contents = table["title"].to_pylist(), table["content"].to_pylist()
    numbers = table["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return Rows(
        ids=table["id"].to_pylist(),
        titles=titles,
        texts=[text_of(*both) for both in zip(titles, contents, strict=True)],
        vectors=numbers.reshape(len(titles), description.dimension),
        metadata=_metadata_of(table, description),
    )


def among(column: str, values: Iterable[Value]) -> str:
    """Return the SQL condition that a column has one of these values."""
    listed = ", ".join(map(_literal, values))
    return f"{column} IN ({listed})" if listed else "false"


def where_clause(where: Sequence[Filter], description: IndexDescription) -> str | None:
    """Return all filters as one clause, or None if there are none; a document without the field fails its filter."""
    check_filters(where, description)
    columns = field_columns(description)
    return " AND ".join(_sql(columns[each.name], each) for each in where) or None


def _sql(column: str, given: Filter) -> str:
    if given.comparison == "in":
        return among(column, values_of(given))
    return f"{column} {given.comparison} {_literal(*values_of(given))}"


def _literal(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def _metadata_of(table: Any, description: IndexDescription) -> list[dict[str, Value]]:
    fields = {name: table[column].to_pylist() for name, column in field_columns(description).items()}
    return [
        {name: values[place] for name, values in fields.items() if values[place] is not None}
        for place in range(len(table))
    ]
