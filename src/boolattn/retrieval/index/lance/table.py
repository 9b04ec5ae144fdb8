"""Documents as a LanceDB table, and filters in its SQL."""

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from boolattn.retrieval.index.checking import check_filters, values_of
from boolattn.retrieval.index.description import content_of, field_columns, text_of, written
from boolattn.retrieval.index.protocol import Filter, IndexDescription, Kind, Rows, Value
from boolattn.retrieval.shards.parquet import arrow
from boolattn.retrieval.write_lock import BusyError

CAUSES = {
    "conflict": "another process is writing to it. Run this again when that process is done",
    "no space left": "the disk is full. Free some space and run this again, which resumes",
    "permission denied": "its files cannot be accessed. Check the permissions of the folder",
    "not found": "a file of it is missing. Restore it from a backup, or index the same vectors under another name",
}
"""Text in a LanceDB error -> what it means, and what to do about it."""


class LanceFilesError(OSError):
    """The files of an index cannot be read or written."""


class _Named(Protocol):
    uri: str


Owner = TypeVar("Owner", bound=_Named)
Given = ParamSpec("Given")
Returned = TypeVar("Returned")


def explained(method: Callable[Concatenate[Owner, Given], Returned]) -> Callable[Concatenate[Owner, Given], Returned]:
    """Make a method explain what the user can do about an error of LanceDB or its files."""

    @wraps(method)
    def call(self: Owner, /, *given: Given.args, **settings: Given.kwargs) -> Returned:
        try:
            return method(self, *given, **settings)
        except (BusyError, LanceFilesError):
            raise
        except (RuntimeError, OSError) as error:
            message = str(error).partition(", /")[0].partition("Traceback")[0]  # the rest is a line of LanceDB's source
            raise LanceFilesError(f"{self.uri}: {_advice(message)} (error: {message})") from error

    return call


def _advice(message: str) -> str:
    """Return what an error means and what to do; for an unknown error, never advise removing anything."""
    known = [advice for sign, advice in CAUSES.items() if sign in message.lower()]
    return known[0] if known else "LanceDB failed. Nothing was removed; its message may say what to do"


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
