"""Conditions in Milvus's expressions."""

import json
from collections.abc import Iterable, Sequence

from boolattn.retrieval.index.checking import check_conditions, values_of
from boolattn.retrieval.index.columns import field_columns
from boolattn.retrieval.index.protocol import Condition, IndexDescription, Value


def literal(value: Value) -> str:
    """Return a value as an expression writes it: as JSON does, but with every letter as it is."""
    return json.dumps(value, ensure_ascii=False)


def among(column: str, values: Iterable[Value]) -> str:
    """Return the condition that a column holds one of these values."""
    return f"{column} in [{', '.join(map(literal, values))}]"


def expression(where: Sequence[Condition], description: IndexDescription) -> str:
    """Return all conditions as one, empty if there are none; a document without the field fulfils none."""
    check_conditions(where, description)
    columns = field_columns(description)
    return " and ".join(_written(f'metadata["{columns[condition.name]}"]', condition) for condition in where)


def _written(field: str, condition: Condition) -> str:
    values = values_of(condition)
    if condition.comparison == "in":
        # A list must be of one type.
        return among(field, map(float, values) if any(isinstance(value, float) for value in values) else values)
    [value] = values
    if condition.comparison == "!=":
        # Milvus's own != also takes documents without the field.
        if isinstance(value, bool):
            return f"{field} == {literal(not value)}"
        return f"({field} < {literal(value)} or {field} > {literal(value)})"
    return f"{field} {'==' if condition.comparison == '=' else condition.comparison} {literal(value)}"
