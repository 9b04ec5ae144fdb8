"""Reject rows and filters that do not fit an index."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import get_args

import numpy as np

from boolattn.retrieval.index.protocol import Comparison, Filter, IndexDescription, Kind, Rows, Value, Vectors

_TYPES: dict[Kind, tuple[type, ...]] = {"text": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,)}
_LARGEST = 2**63
MOST_FILTERS, MOST_VALUES = 20, 5_000
"""Maximum filters per search, and values in total: LanceDB plans thousands for minutes, and Milvus fails at fifty."""


def check_rows(rows: Rows, description: IndexDescription) -> None:
    """Raise if IDs are not unique, or if vectors or metadata do not fit the index."""
    if rows.vectors.shape != (len(rows), description.dimension):
        raise ValueError(
            f"{len(rows)} documents with vectors of shape {rows.vectors.shape}: this index stores vectors of dimension "
            f"{description.dimension}, one per document"
        )
    finite = np.isfinite(rows.vectors).all(axis=1)
    if not finite.all():
        raise ValueError(
            f"document {rows.ids[int(finite.argmin())]!r} has a vector with NaN or infinite numbers (bad "
            f"vectors in this batch: {len(rows) - finite.sum()} of {len(rows)}): encode these documents again"
        )
    if len(set(rows.ids)) < len(rows):
        [(twice, _)] = Counter(rows.ids).most_common(1)
        raise ValueError(f"ID {twice!r} occurs more than once in one batch: IDs must be unique")
    for doc_id, fields in zip(rows.ids, rows.metadata, strict=True):
        for name, value in fields.items():
            kind = description.metadata.get(name)
            if kind is None or not _fits(value, kind):
                problem = f"of type {kind!r} here" if kind else "not in this index"
                raise ValueError(f"document {doc_id!r} has {name!r} = {value!r}, but that field is {problem}")


def check_query(vector: Vectors, description: IndexDescription) -> None:
    """Raise if a query's vector cannot be compared with those of the index."""
    if np.shape(vector) != (description.dimension,):
        raise ValueError(
            f"the query's vector has shape {np.shape(vector)}: this index stores vectors of dimension "
            f"{description.dimension}"
        )
    if not np.isfinite(vector).all():
        raise ValueError("the query's vector has NaN or infinite numbers: check the model's weights")


def check_filters(where: Sequence[Filter], description: IndexDescription) -> None:
    """Raise if a filter is not on a field of the index, or if its values cannot be compared with the field."""
    values = sum(len(values_of(each)) for each in where)
    if len(where) > MOST_FILTERS or values > MOST_VALUES:
        raise ValueError(
            f"{len(where)} filters with {values} values: use at most {MOST_FILTERS} filters with {MOST_VALUES} values "
            f"in total; 'in' takes many values at once"
        )
    for each in where:
        kind = description.metadata.get(each.name)
        if kind is None:
            raise ValueError(f"no field {each.name!r} to filter by; this index has: {listed(description.metadata)}")
        if each.comparison not in get_args(Comparison):
            # The comparison is inserted into the index's query unescaped.
            raise ValueError(f"{each}: comparisons are {', '.join(get_args(Comparison))}")
        if isinstance(each.value, tuple) != (each.comparison == "in"):
            raise ValueError(f"{each}: 'in' takes a tuple of values, every other comparison one value")
        if kind == "boolean" and each.comparison not in ("=", "!=", "in"):
            raise ValueError(f"{each}: {each.name!r} is true or false, which has no order; use = or !=")
        for value in values_of(each):
            if not _fits(value, kind):
                raise ValueError(f"{each}: {each.name!r} is of type {kind!r}, {value!r} is not")


def listed(names: Iterable[str]) -> str:
    """Return field names for a message, as literals, because they may contain any character."""
    return ", ".join(map(repr, sorted(names))) or "none"


def values_of(given: Filter) -> tuple[Value, ...]:
    """Return the value or values of a filter."""
    return given.value if isinstance(given.value, tuple) else (given.value,)


def _fits(value: Value, kind: Kind) -> bool:
    if isinstance(value, bool) != (kind == "boolean") or not isinstance(value, _TYPES[kind]):
        return False
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or abs(value) < _LARGEST
