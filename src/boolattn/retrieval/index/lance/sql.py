"""Conditions in the SQL of LanceDB."""

from collections.abc import Iterable, Sequence

from boolattn.retrieval.index.checking import check_conditions, values_of
from boolattn.retrieval.index.columns import field_columns
from boolattn.retrieval.index.protocol import Condition, IndexDescription, Value


def literal(value: Value) -> str:
    """Return a value as SQL writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def among(column: str, values: Iterable[Value]) -> str:
    """Return the condition that a column holds one of these values."""
    listed = ", ".join(map(literal, values))
    return f"{column} IN ({listed})" if listed else "false"


def where_clause(where: Sequence[Condition], description: IndexDescription) -> str | None:
    """Return all conditions as one, or nothing if there are none; a document without the field fulfils none."""
    check_conditions(where, description)
    columns = field_columns(description)
    return " AND ".join(_written(columns[condition.name], condition) for condition in where) or None


def _written(column: str, condition: Condition) -> str:
    if condition.comparison == "in":
        return among(column, values_of(condition))
    return f"{column} {condition.comparison} {literal(*values_of(condition))}"
