"""Lines of public formats: written, in paragraphs, in columns."""

import gzip
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TextIO, TypeVar, cast

import zstandard

from boolattn.retrieval.corpus.bad_rows import WHOLE_ROW, BadRowError, Place
from boolattn.retrieval.corpus.files import numbered_lines

Number = TypeVar("Number", int, float)


def open_for_writing(path: str | Path) -> TextIO:
    """Open a text file for writing, compressed according to its suffix."""
    path = Path(path)
    match path.suffix:
        case ".gz":
            return cast(TextIO, gzip.open(path, "wt", encoding="utf-8", newline="\n"))
        case ".zst":
            return cast(TextIO, zstandard.open(path, "wt", encoding="utf-8", newline="\n"))
        case _:
            return path.open("w", encoding="utf-8", newline="\n")


def paragraphs(path: str | Path) -> Iterator[tuple[Place, list[tuple[Place, bytes]]]]:
    """Yield the groups of lines between blank lines, each with the location of its first line."""
    for blank, run in groupby(numbered_lines(path), key=lambda numbered: numbered[1].isspace()):
        if not blank:
            paragraph = list(run)
            yield paragraph[0][0], paragraph


def text_of(place: Place, line: bytes) -> str:
    """Decode a line, without its line ending."""
    try:
        return line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise BadRowError(place, WHOLE_ROW, f"expected UTF-8 text ({error})") from error


def columns_of(place: Place, line: bytes, names: Sequence[str], separator: str | None = None) -> list[str]:
    """Split a line into the named columns, at white space or the given separator; none may be empty."""
    columns = text_of(place, line).split(separator)
    if len(columns) != len(names):
        raise BadRowError(place, WHOLE_ROW, f"expected {len(names)} columns ({', '.join(names)}), got {len(columns)}")
    if "" in columns:
        raise BadRowError(place, names[columns.index("")], "expected a value, got an empty column")
    return columns


def number_of(place: Place, name: str, text: str, kind: type[Number]) -> Number:
    """Parse the number in a column."""
    try:
        return kind(text)
    except ValueError as error:
        raise BadRowError(place, name, f"expected a number of type {kind.__name__}, got {text!r}") from error
