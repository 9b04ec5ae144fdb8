"""Metadata fields of documents: which values are stored, and the type of a field across a corpus."""

import math
from datetime import date
from decimal import Decimal
from typing import Any

from boolattn.retrieval.index.protocol import Kind, Value


def scalar_of(value: Any) -> Value | None:
    """Return a value in the stored form: lists of texts are joined; None for empty or nested values."""
    match value:
        case str() | bool():
            return value
        case int():
            if value == -(2**63):
                return None  # how NumPy and pandas write missing values
            return value if abs(value) < 2**63 else str(value)  # an index stores 64-bit integers
        case float() | Decimal():
            return float(value) if math.isfinite(value) else None
        case date():
            return value.isoformat()
        case [str(), *_] if all(isinstance(each, str) for each in value):
            return ", ".join(value)
        case _:
            return None


def kind_of(value: Value) -> Kind:
    """Return the type of a field with this value."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    return "number" if isinstance(value, float) else "text"


def common_kind(one: Kind, other: Kind) -> Kind:
    """Return the type of a field whose values have these two types."""
    if one == other:
        return one
    return "number" if {one, other} == {"integer", "number"} else "text"


def converted(value: Value, kind: Kind) -> Value:
    """Convert a value to its field's type across the corpus."""
    if kind == "number":
        return float(value)
    if kind == "text":
        return str(value).lower() if isinstance(value, bool) else str(value)
    return value
