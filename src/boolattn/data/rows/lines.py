"""Files read line by line and never whole (plain, ``.gz`` or ``.zst``, by their suffix), and the columns of a line."""

import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import BinaryIO, TextIO, TypeVar, cast

import zstandard

from boolattn.data.rows.bad_rows import WHOLE_ROW, BadRowError, Place

COMPRESSIONS = ("", ".gz", ".zst")

Number = TypeVar("Number", int, float)


def open_bytes(path: str | Path) -> BinaryIO:
    """Open a file for reading, decompressed."""
    path = Path(path)
    match path.suffix:
        case ".gz":
            return cast(BinaryIO, gzip.open(path, "rb"))
        case ".zst":
            # Files joined with cat, or written by parallel compressors, hold several frames.
            reader = zstandard.ZstdDecompressor().stream_reader(path.open("rb"), read_across_frames=True, closefd=True)
            return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, reader)))
        case _:
            return path.open("rb")


def open_for_writing(path: str | Path) -> TextIO:
    """Open a text file for writing, compressed as its suffix says."""
    path = Path(path)
    match path.suffix:
        case ".gz":
            return cast(TextIO, gzip.open(path, "wt", encoding="utf-8", newline="\n"))
        case ".zst":
            return cast(TextIO, zstandard.open(path, "wt", encoding="utf-8", newline="\n"))
        case _:
            return path.open("w", encoding="utf-8", newline="\n")


def numbered_lines(path: str | Path) -> Iterator[tuple[Place, bytes]]:
    """Yield every line as bytes, so that a line of broken UTF-8 is one bad row and no more."""
    source = str(path)
    number = 0
    try:
        with open_bytes(path) as stream:
            for number, line in enumerate(stream, start=1):
                yield Place(source, number), line
    except (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
        raise OSError(f"{source} is damaged after line {number} ({error}): fetch or compress it again.") from error


def filled_lines(path: str | Path) -> Iterator[tuple[Place, bytes]]:
    """Yield every line that is not blank."""
    return ((place, line) for place, line in numbered_lines(path) if not line.isspace())


def paragraphs(path: str | Path) -> Iterator[tuple[Place, list[tuple[Place, bytes]]]]:
    """Yield the runs of lines between blank lines, each with the place of its first line."""
    for blank, run in groupby(numbered_lines(path), key=lambda numbered: numbered[1].isspace()):
        if not blank:
            paragraph = list(run)
            yield paragraph[0][0], paragraph


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
