"""Refuse rows and filters that do not fit an index."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import get_args

from boolattn.retrieval.index.protocol import Comparison, Filter, IndexDescription, Kind, Rows, Value

_TYPES: dict[Kind, tuple[type, ...]] = {"text": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,)}
_LARGEST = 2**63


def check_rows(rows: Rows, description: IndexDescription) -> None:
    """Raise unless ids are unlike each other, and vectors and metadata are what the index holds."""
    if rows.vectors.shape != (len(rows), description.dimension):
        raise ValueError(
            f"{len(rows)} documents with vectors of shape {rows.vectors.shape}: this index holds vectors of dimension "
            f"{description.dimension}, one for each document"
        )
    if len(set(rows.ids)) < len(rows):
        [(twice, _)] = Counter(rows.ids).most_common(1)
        raise ValueError(f"id {twice!r} is there more than once in one batch: ids must be unlike each other")
    for doc_id, fields in zip(rows.ids, rows.metadata, strict=True):
        for name, value in fields.items():
            kind = description.metadata.get(name)
            if kind is None or not _fits(value, kind):
                held = f"of type {kind!r} here" if kind else "not of this index"
                raise ValueError(f"document {doc_id!r} has {name!r} = {value!r}, but that field is {held}")


def check_filters(where: Sequence[Filter], description: IndexDescription) -> None:
    """Raise unless every filter is on a field of the index, with values that can be compared with it."""
    for each in where:
        kind = description.metadata.get(each.name)
        if kind is None:
            known = ", ".join(sorted(description.metadata)) or "none"
            raise ValueError(f"no field {each.name!r} to filter by; this index has: {known}")
        if each.comparison not in get_args(Comparison):
            # It goes into the query of the index as it is.
            raise ValueError(f"{each}: comparisons are {', '.join(get_args(Comparison))}")
        listed = each.comparison == "in"
        if isinstance(each.value, tuple) != listed:
            raise ValueError(f"{each}: 'in' takes a tuple of values, every other comparison one value")
        if kind == "boolean" and each.comparison not in ("=", "!=", "in"):
            raise ValueError(f"{each}: {each.name!r} is true or false, which has no order; use = or !=")
        for value in values_of(each):
            if not _fits(value, kind):
                raise ValueError(f"{each}: {each.name!r} is of type {kind!r}, {value!r} is not")


def values_of(given: Filter) -> tuple[Value, ...]:
    """Return the value or values of a filter."""
    return given.value if isinstance(given.value, tuple) else (given.value,)


def _fits(value: Value, kind: Kind) -> bool:
    if isinstance(value, bool) != (kind == "boolean") or not isinstance(value, _TYPES[kind]):
        return False
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or abs(value) < _LARGEST
