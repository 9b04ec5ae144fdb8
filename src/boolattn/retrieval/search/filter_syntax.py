"""Metadata filters on the command line: ``year>=1990``, ``language=French``."""

import re
from collections.abc import Callable
from typing import cast

from boolattn.retrieval.index.checking import listed
from boolattn.retrieval.index.protocol import Comparison, Filter, IndexDescription, Kind, Value

_COMPARISON = re.compile("!=|<=|>=|=|<|>")
_TRUTH = {"true": True, "false": False}
_READ: dict[Kind, Callable[[str], Value]] = {
    "text": str,
    "integer": int,
    "number": float,
    "boolean": lambda text: _TRUTH[text.lower()],
}


def split_filter(text: str) -> tuple[str, Comparison, str]:
    """Return the field, the comparison and the value, as written, of a filter on any index."""
    stripped = text.strip()
    # Not one pattern for everything, which would try all ways to divide long blanks. A name has at least one character.
    found = _COMPARISON.search(stripped, 1)
    if found is None:
        raise ValueError(f"{text!r} is not a filter: write a field, one of = != < <= > >=, and a value: year>=1990")
    name, value = stripped[: found.start()], stripped[found.end() :]
    return name.rstrip(), cast(Comparison, found[0]), value.lstrip()


def filter_of(text: str, description: IndexDescription) -> Filter:
    """Parse one filter; the index decides the value's type, so "1990" may be a year or a title.

    Raises:
        ValueError: If it is not a filter on this index.
    """
    name, comparison, value = split_filter(text)
    kind = description.metadata.get(name)
    if kind is None:
        raise ValueError(f"no field {name!r} to filter by; this index has: {listed(description.metadata)}")
    try:
        return Filter(name, comparison, _READ[kind](value))
    except (ValueError, KeyError) as error:
        raise ValueError(f"{text!r}: {name!r} is of type {kind}, which {value!r} is not") from error
