"""What to do about a row that is not of its format: say exactly where it fails, or leave it out and count it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeVar

Raw = TypeVar("Raw")
Record = TypeVar("Record")

WHOLE_ROW = "whole row"


class Place(NamedTuple):
    """Where a row stands, counted from 1: by line in a text file, by row where a format has no lines of its own."""

    source: str
    number: int
    unit: Literal["line", "row"] = "line"

    def __str__(self) -> str:
        return f"{self.source}, {self.unit} {self.number}"


class BadRowError(ValueError):
    """A row that is not of its format."""

    def __init__(self, place: Place, field: str, problem: str) -> None:
        """Name the place, the field, and what was expected of it."""
        super().__init__(place, field, problem)
        self.place = place
        self.field = field
        self.problem = problem

    def __str__(self) -> str:
        advice = "Fix the row, or skip bad rows (skip=SkipBad(), or --skip-bad on the command line)."
        return f"{self.place}, field {self.field!r}: {self.problem}. {advice}"


@dataclass(slots=True)
class SkipBad:
    """Given to a loader, lets it leave bad rows out, and counts them by file and field, however often they are read."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    places: set[Place] = field(default_factory=set)

    def add(self, error: BadRowError) -> None:
        """Count one row left out."""
        if error.place not in self.places:
            self.places.add(error.place)
            self.counts[error.place.source, error.field] += 1

    @property
    def total(self) -> int:
        """How many rows were left out."""
        return self.counts.total()


def keep_good(
    rows: Iterable[tuple[Place, Raw]], parse: Callable[[Place, Raw], Record], skip: SkipBad | None
) -> Iterator[Record]:
    """Parse row by row; a ``BadRowError`` ends the reading, or is counted where ``skip`` is given."""
    for place, raw in rows:
        try:
            record = parse(place, raw)
        except BadRowError as error:
            if skip is None:
                raise
            skip.add(error)
        else:
            yield record
