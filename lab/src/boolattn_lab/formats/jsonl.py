"""JSON rows, validated against an expected shape."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from boolattn.retrieval.corpus.bad_rows import WHOLE_ROW, BadRowError, Place
from boolattn.retrieval.corpus.files import filled_lines
from boolattn_lab.formats.skipping import SkipBad, keep_good

Shape = TypeVar("Shape")

Filled = Annotated[str, msgspec.Meta(min_length=1)]
"""A text that must not be empty."""


def read_jsonl(
    path: str | Path,
    shape: type[Shape],
    skip: SkipBad | None = None,
    check: Callable[[Place, Shape], None] | None = None,
) -> Iterator[Shape]:
    """Yield one validated object per line.

    Args:
        path: A ``.jsonl`` file, plain, ``.gz`` or ``.zst``.
        shape: A dataclass or ``msgspec.Struct`` with the required fields; other fields of a row are ignored.
        skip: Skips and counts bad rows; None raises at the first one.
        check: Raises ``BadRowError`` for a row that has the right shape but is otherwise invalid.
    """
    decode = msgspec.json.Decoder(shape).decode

    def parse(place: Place, line: bytes) -> Shape:
        try:
            row = decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise _bad_row(place, error) from error
        if check is not None:
            check(place, row)
        return row

    return keep_good(filled_lines(path), parse, skip)


def check_row(place: Place, row: Any, shape: type[Shape]) -> Shape:
    """Validate a row that is already parsed into Python objects."""
    try:
        return msgspec.convert(row, shape)
    except msgspec.ValidationError as error:
        raise _bad_row(place, error) from error


def _bad_row(place: Place, error: Exception) -> BadRowError:
    problem, _, path = str(error).partition(" - at ")
    parents = re.findall(r"\.([^.`\[\]]+)", path)
    missing = re.search(r"missing required field `(.+?)`", problem)
    names = [*parents, missing[1]] if missing else parents
    return BadRowError(place, ".".join(names) or WHOLE_ROW, problem)
