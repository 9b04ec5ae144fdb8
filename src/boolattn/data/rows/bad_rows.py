"""Malformed rows: report exactly where they fail, or skip and count them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeVar

Raw = TypeVar("Raw")
Record = TypeVar("Record")

WHOLE_ROW = "whole row"


class Place(NamedTuple):
    """The location of a row, counted from 1: its line in a text file, its row number in formats without lines."""

    source: str
    number: int
    unit: Literal["line", "row"] = "line"

    def __str__(self) -> str:
        return f"{self.source}, {self.unit} {self.number}"


class BadRowError(ValueError):
    """A malformed row."""

    def __init__(self, place: Place, field: str, problem: str) -> None:
        """Record the location, the field, and what was expected."""
        super().__init__(place, field, problem)
        self.place = place
        self.field = field
        self.problem = problem

    def __str__(self) -> str:
        advice = "Fix the row, or skip bad rows (skip=SkipBad(), or --skip-bad on the command line)."
        return f"{self.place}, field {self.field!r}: {self.problem}. {advice}"


@dataclass(slots=True)
class SkipBad:
    """Lets a loader skip bad rows, and counts each once, by file and field, even if it is read several times."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    places: set[Place] = field(default_factory=set)

    def add(self, error: BadRowError) -> None:
        """Count one skipped row."""
        if error.place not in self.places:
            self.places.add(error.place)
            self.counts[error.place.source, error.field] += 1

    @property
    def total(self) -> int:
        """How many rows were skipped."""
        return self.counts.total()


def keep_good(
    rows: Iterable[tuple[Place, Raw]], parse: Callable[[Place, Raw], Record], skip: SkipBad | None
) -> Iterator[Record]:
    """Parse row by row; a ``BadRowError`` is raised, or counted if ``skip`` is given."""
    for place, raw in rows:
        try:
            record = parse(place, raw)
        except BadRowError as error:
            if skip is None:
                raise
            skip.add(error)
        else:
            yield record
