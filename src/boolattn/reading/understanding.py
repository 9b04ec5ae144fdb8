"""What rules alone make of a query: its explicit syntax where it has one, else the reading of its words."""

from typing import NamedTuple

from boolattn.operators import NOT
from boolattn.reading.plan import BooleanPlan
from boolattn.reading.readers import reader_of
from boolattn.reading.rules.rule_reader import CONFIDENCE as LEXICON_CONFIDENCE
from boolattn.reading.spans import Span
from boolattn.reading.syntax_reader import SyntaxReader

__all__ = ["LEXICON_CONFIDENCE", "Excluded", "excluded_by_rules", "excluded_by_syntax", "plan_by_rules", "written_out"]


class Excluded(NamedTuple):
    """Where a query says that it excludes something, and what."""

    cues: tuple[Span, ...] = ()
    scopes: tuple[Span, ...] = ()


def plan_by_rules(query: str) -> BooleanPlan:
    """Plan a query by rules."""
    return reader_of("rules").read([query])[0].plan()


def excluded_by_rules(query: str) -> Excluded:
    """Return what ``plan_by_rules`` leaves out."""
    reading = reader_of("rules").read([query])[0]
    return Excluded(reading.cues[NOT.name], reading.scopes[NOT.name])


def excluded_by_syntax(query: str) -> Excluded | None:
    """Return what explicit syntax leaves out; None for a query in plain words."""
    reading = SyntaxReader().read([query])[0]
    return Excluded(reading.cues[NOT.name], reading.scopes[NOT.name]) if reading.operators else None


def written_out(query: str) -> BooleanPlan | None:
    """Return the plan of explicit syntax."""
    reading = SyntaxReader().read([query])[0]
    return reading.plan() if reading.operators else None
