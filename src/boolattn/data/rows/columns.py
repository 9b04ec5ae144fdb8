"""Rows of text columns, with errors that name the column."""

from collections.abc import Sequence
from typing import TypeVar

from boolattn.data.rows.bad_rows import WHOLE_ROW, BadRowError, Place

Number = TypeVar("Number", int, float)


def text_of(place: Place, line: bytes) -> str:
    """Decode a line, without its line end."""
    try:
        return line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise BadRowError(place, WHOLE_ROW, f"expected UTF-8 text ({error})") from error


def columns_of(place: Place, line: bytes, names: Sequence[str], separator: str | None = None) -> list[str]:
    """Split a line into the named columns, at white space or at a separator of its own; none may be empty."""
    columns = text_of(place, line).split(separator)
    if len(columns) != len(names):
        raise BadRowError(place, WHOLE_ROW, f"expected {len(names)} columns ({', '.join(names)}), got {len(columns)}")
    if "" in columns:
        raise BadRowError(place, names[columns.index("")], "expected a value, got an empty column")
    return columns


def number_of(place: Place, name: str, text: str, kind: type[Number]) -> Number:
    """Read the number in a column."""
    try:
        return kind(text)
    except ValueError as error:
        raise BadRowError(place, name, f"expected a number of type {kind.__name__}, got {text!r}") from error
