"""What rules alone make of a query: its explicit syntax where it has one, else the reading of its words."""

from itertools import pairwise
from typing import NamedTuple

from boolattn.reading.plan import BooleanPlan, plan_of
from boolattn.reading.rules.negations import negations
from boolattn.reading.rules.rule_reader import read
from boolattn.reading.spans import Span
from boolattn.reading.syntax import QuerySyntaxError, has_syntax, parse

# What the rules get right of the operators of QUEST's test queries: `boolattn evaluate quest-gate --model rules`.
LEXICON_CONFIDENCE = 0.857


class Excluded(NamedTuple):
    """Where a query says that it excludes something, and what."""

    cues: tuple[Span, ...] = ()
    scopes: tuple[Span, ...] = ()


def plan_by_rules(query: str) -> BooleanPlan:
    """Plan a query by rules. What only looks like syntax, or is broken, is read as words: no query is refused."""
    return written_out(query) or plan_of(query, read(query), LEXICON_CONFIDENCE, "lexicon")


def excluded_by_rules(query: str) -> Excluded:
    """Return what ``plan_by_rules`` leaves out, in a fraction of its time; empty for most queries of this world."""
    written = excluded_by_syntax(query)
    if written is not None:
        return written
    found = [negation for negation in negations(query) if negation.excludes]
    return Excluded(tuple(each.cue for each in found), tuple(each.scope for each in found))


def excluded_by_syntax(query: str) -> Excluded | None:
    """Return what explicit syntax leaves out; None for a query in plain words."""
    plan = written_out(query)
    if plan is None:
        return None
    return _between_atoms(plan) if plan.negatives else Excluded()


def written_out(query: str) -> BooleanPlan | None:
    """Return the plan of explicit syntax."""
    if not has_syntax(query):
        return None
    try:
        return parse(query)
    except QuerySyntaxError:
        return None


def _between_atoms(plan: BooleanPlan) -> Excluded:
    """Take what stands between atoms for cues: it only joins them."""
    edges = [Span(0, 0), *(atom.span for atom in plan.atoms), Span(len(plan.query), len(plan.query))]
    between = (Span(left.end, right.start) for left, right in pairwise(edges))
    return Excluded(tuple(between), tuple(atom.span for atom in plan.negatives))
