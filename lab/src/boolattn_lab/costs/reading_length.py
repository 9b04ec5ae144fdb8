"""How long reading takes, by the length of the query, for texts made to take long: without limits, and at the limit."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial

import numpy as np

from boolattn.reading import limits
from boolattn.reading.caller import caller_reading
from boolattn.reading.learned import load_reader
from boolattn.reading.options import ReadingOptions
from boolattn.reading.rules.rule_reader import RuleReader
from boolattn.reading.screen import may_exclude
from boolattn.reading.syntax import QuerySyntaxError, SyntaxReader, is_syntax

SIZES = tuple(1024 * 2**power for power in range(11))  # 1 KB to 1 MB
CAP_RUNS = 7
_FITTED_FROM = 0.002  # seconds; less is noise

SHAPES: Mapping[str, str] = {
    "without war, ": "without war, ",
    "not": "not ",
    "not a b": "films not about cats ",
    "neither nor": "neither a nor b, ",
    "which birds do not": "which birds do not fly, ",
    "cue words only": "but not and or except nor neither without excluding ",
    "why not": "why not ",
    "and": "films and cats ",
    "or": "cats or dogs, ",
    "a, b and": "a, b and ",
    "a OR b": "a OR b NOT c OR ",
    "AND": "a AND ",
    "NOT": "NOT ",
    "-a": "-a ",
    "open parentheses": "(",
    "nested": "(a OR ",
    "closed": "(a) ",
    "quotation marks": '"a" not ',
    "open quotations": "«a ",
    "escaped quotations": '\\" "',
    "commas": ",",
    "one word": "a",
    "capitals": "A",
    "names": "in A B, ",
    "spaces": " ",
    "digits": "1234 ",
    "emoji": "\U0001f600",
}
"""Pieces that are repeated, by name."""


def _rules(text: str) -> None:
    RuleReader().read([text])[0].plan()


def _learned(text: str) -> None:
    load_reader().read([text])[0].plan()


def _syntax(text: str) -> None:
    is_syntax(text)
    with suppress(QuerySyntaxError):
        SyntaxReader(always=True).read([text])[0].plan()


def _caller(text: str) -> None:
    caller_reading(f"{text} zebra", ["zebra"]).plan()


READERS: Mapping[str, Callable[[str], object]] = {
    "rules": _rules,
    "learned": _learned,
    "syntax": _syntax,
    "caller": _caller,
    "screen": may_exclude,
}
"""What reads a query, each up to its plan."""
WHOLE = {name: ReadingOptions(reader=name) for name in ("rules", "learned")}
"""What a search does with a query, within the limits: syntax first, then the reader, then the plan."""


@dataclass(frozen=True, slots=True)
class ReadingTime:
    """CPU time of one reader for one shape of text.

    Attributes:
        reader: Its name.
        shape: Which piece is repeated.
        seconds: By length in characters, with the limits lifted.
        exponent: Of time by length, fitted: 1 is linear, 2 quadratic; None if all times are too short to tell.
    """

    reader: str
    shape: str
    seconds: Mapping[int, float]
    exponent: float | None


@dataclass(frozen=True, slots=True)
class CapTime:
    """CPU time of the whole path at the longest query that is read: the least and the median of several runs."""

    reader: str
    shape: str
    least: float
    median: float


def measure_lengths(largest: int = SIZES[-1]) -> Iterator[ReadingTime]:
    """Measure every reader with every shape, up to a length."""
    with _no_limits():
        for reader, read in READERS.items():
            for shape, piece in SHAPES.items():
                read(piece)  # loads what is loaded once
                seconds = {size: _least(read, repeated(piece, size)) for size in SIZES if size <= largest}
                yield ReadingTime(reader, shape, seconds, exponent_of(seconds))


def measure_cap() -> Iterator[CapTime]:
    """Measure the whole path at the limit on the length."""
    for reader, options in WHOLE.items():
        for shape, piece in SHAPES.items():
            text, read = repeated(piece, limits.LONGEST_QUERY), partial(_read_whole, options)
            read(piece)  # loads what is loaded once
            times = [_cpu(read, text) for _ in range(CAP_RUNS)]
            yield CapTime(reader, shape, min(times), float(np.median(times)))


def _read_whole(options: ReadingOptions, text: str) -> None:
    options.read([text])[0].plan()


def repeated(piece: str, size: int) -> str:
    """Return a text of so many characters."""
    return (piece * (size // len(piece) + 1))[:size]


def exponent_of(seconds: Mapping[int, float]) -> float | None:
    """Fit how time grows with length, where it is long enough to be measured."""
    points = {size: taken for size, taken in seconds.items() if taken >= _FITTED_FROM}
    if len(points) < 3:
        return None
    return float(np.polyfit(np.log(list(points)), np.log(list(points.values())), 1)[0])


def _least(read: Callable[[str], object], text: str) -> float:
    first = _cpu(read, text)
    return first if first > 1 else min(first, *(_cpu(read, text) for _ in range(2)))


def _cpu(read: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    read(text)
    return time.process_time() - began


@contextmanager
def _no_limits() -> Iterator[None]:
    before = limits.LONGEST_QUERY, limits.MOST_ATOMS
    limits.LONGEST_QUERY = limits.MOST_ATOMS = 10**12
    try:
        yield
    finally:
        limits.LONGEST_QUERY, limits.MOST_ATOMS = before
