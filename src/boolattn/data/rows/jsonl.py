"""JSON rows checked against the shape they should have."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from boolattn.data.rows.bad_rows import WHOLE_ROW, BadRowError, Place, SkipBad, keep_good
from boolattn.data.rows.lines import filled_lines

Shape = TypeVar("Shape")

Filled = Annotated[str, msgspec.Meta(min_length=1)]
"""A text that may not be empty."""


def read_jsonl(
    path: str | Path,
    shape: type[Shape],
    skip: SkipBad | None = None,
    check: Callable[[Place, Shape], None] | None = None,
) -> Iterator[Shape]:
    """Yield one checked object per line.

    Args:
        path: A ``.jsonl`` file, plain, ``.gz`` or ``.zst``.
        shape: A dataclass or ``msgspec.Struct`` whose fields every row must have; further fields of a row are ignored.
        skip: Counts and leaves out bad rows; without it the first one is an error.
        check: Raises ``BadRowError`` for a row of the right shape that is wrong for another reason.
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
    """Check a row that some other reader has already made Python objects of."""
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
