"""Malformed rows: report exactly where they fail, or skip and count them."""

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
