"""The further fields of documents: which values are kept, and of what kind a field is over a whole corpus."""

import math
from datetime import date
from decimal import Decimal
from typing import Any

from boolattn.retrieval.index.protocol import Kind, Value


def scalar_of(value: Any) -> Value | None:
    """Return a value as it is kept: texts in a list are joined; None for what is empty or nested."""
    match value:
        case str() | bool():
            return value
        case int():
            if value == -(2**63):
                return None  # what NumPy and pandas write where there is no value
            return value if abs(value) < 2**63 else str(value)  # what the integers of an index hold
        case float() | Decimal():
            return float(value) if math.isfinite(value) else None
        case date():
            return value.isoformat()
        case [str(), *_] if all(isinstance(each, str) for each in value):
            return ", ".join(value)
        case _:
            return None


def kind_of(value: Value) -> Kind:
    """Return what kind a field is that has this value."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    return "number" if isinstance(value, float) else "text"


def common_kind(one: Kind, other: Kind) -> Kind:
    """Return the kind of a field that is of one kind here and of another there."""
    if one == other:
        return one
    return "number" if {one, other} == {"integer", "number"} else "text"


def converted(value: Value, kind: Kind) -> Value:
    """Return a value as one of the kind that its field has over the whole corpus."""
    if kind == "number":
        return float(value)
    if kind == "text":
        return str(value).lower() if isinstance(value, bool) else str(value)
    return value
