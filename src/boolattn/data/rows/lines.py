"""Files streamed line by line (plain, ``.gz`` or ``.zst``, by suffix), and the columns of a line."""

import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import BinaryIO, TextIO, TypeVar, cast

from boolattn.data.rows.bad_rows import WHOLE_ROW, BadRowError, Place

COMPRESSIONS = ("", ".gz", ".zst")

Number = TypeVar("Number", int, float)


def open_bytes(path: str | Path) -> BinaryIO:
    """Open a file for reading, decompressing it."""
    path = Path(path)
    match path.suffix:
        case ".gz":
            return cast(BinaryIO, gzip.open(path, "rb"))
        case ".zst":
            import zstandard  # only here and below: plain files are read without it

            # Files joined with cat, or written by parallel compressors, contain several frames.
            reader = zstandard.ZstdDecompressor().stream_reader(path.open("rb"), read_across_frames=True, closefd=True)
            return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, reader)))
        case _:
            return path.open("rb")


def open_for_writing(path: str | Path) -> TextIO:
    """Open a text file for writing, compressed according to its suffix."""
    path = Path(path)
    match path.suffix:
        case ".gz":
            return cast(TextIO, gzip.open(path, "wt", encoding="utf-8", newline="\n"))
        case ".zst":
            import zstandard

            return cast(TextIO, zstandard.open(path, "wt", encoding="utf-8", newline="\n"))
        case _:
            return path.open("w", encoding="utf-8", newline="\n")


def numbered_lines(path: str | Path) -> Iterator[tuple[Place, bytes]]:
    """Yield every line as bytes, so that invalid UTF-8 affects only one row."""
    source = str(path)
    number = 0
    damage: tuple[type[Exception], ...] = (EOFError, gzip.BadGzipFile, zlib.error)
    if Path(path).suffix == ".zst":
        import zstandard

        damage += (zstandard.ZstdError,)
    try:
        with open_bytes(path) as stream:
            for number, line in enumerate(stream, start=1):
                yield Place(source, number), line
    except damage as error:
        raise OSError(f"{source} is damaged after line {number} ({error}): download or compress it again.") from error


def filled_lines(path: str | Path) -> Iterator[tuple[Place, bytes]]:
    """Yield every line that is not blank."""
    return ((place, line) for place, line in numbered_lines(path) if not line.isspace())


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
