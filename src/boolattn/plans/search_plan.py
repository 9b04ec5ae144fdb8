"""The plan that orders the candidates of a search, by what its documents are."""

import re
from collections.abc import Sequence
from dataclasses import replace

from boolattn.plans.word_forms import COMMON_WORDS
from boolattn.reading.names import is_about_words, is_fixed_pair
from boolattn.reading.options import ReadingOptions
from boolattn.reading.plan import AllOf, AnyOf, BooleanPlan, PlanNode, QueryAtom, atoms_in
from boolattn.reading.reading import CALLER, Reading
from boolattn.reading.spans import WORD, Span

_JOINS = re.compile(r"(?P<before>\w+)\s*(?:,?\s+and\s+|,?\s+or\s+|\s*&\s*|\s+w/\s*)(?P<after>\w+)", re.IGNORECASE)


def search_plan(reading: Reading, options: ReadingOptions) -> BooleanPlan:
    """Return the plan that a search executes for a reading, reduced to what is acted on.

    Over pages, *and* and *or* count only next to an exclusion or in explicit syntax: most real queries with these words
    ask for one thing, and of those that acting on them changed, more got worse than better (lab/docs/results.md).

    Where documents are things, a query that joins words, "celery and potato soup", asks for each of its words, also
    where the reading takes it for a name: what is called so has them all. Fixed pairs and questions stay as they are,
    and so does a query of which the caller says what it excludes.
    """
    plan = reading.plan()
    if options.documents == "pages":
        acts = plan.negatives or plan.source == "syntax" or not has_operators(plan)
        whole = QueryAtom.at(reading.query, Span(0, len(reading.query)))
        return plan if acts else replace(plan, condition=whole)
    if has_operators(plan) or not options.act or plan.source == CALLER or not _joins_words(reading.query):
        return plan
    words = {match[0].lower(): match for match in WORD.finditer(reading.query)}
    atoms = [
        QueryAtom(match[0], Span(*match.span()))
        for word, match in words.items()
        if word not in COMMON_WORDS and len(word) > 1
    ]
    return replace(plan, condition=AllOf(tuple(atoms))) if len(atoms) > 1 else plan


def has_operators(plan: BooleanPlan) -> bool:
    """Whether a plan says more than its query's text: an *and*, an *or* or a *not*."""
    return not (isinstance(plan.condition, QueryAtom) and plan.condition.sign == 1)


def alternatives(plan: BooleanPlan) -> list[str]:
    """Return the texts that a plan offers: "cookies walnuts" and "cookies raisins" for cookies (walnuts OR raisins)."""
    parts = plan.condition.parts if isinstance(plan.condition, AllOf) else (plan.condition,)
    for place, part in enumerate(parts):
        if isinstance(part, AnyOf):
            return [_wanted([*parts[:place], each, *parts[place + 1 :]]) for each in part.parts]
    return []


def _wanted(parts: Sequence[PlanNode]) -> str:
    return " ".join(atom.text for part in parts for atom in atoms_in(part) if atom.sign == 1)


def _joins_words(query: str) -> bool:
    joins = [(found["before"], found["after"]) for found in _JOINS.finditer(query)]
    return bool(joins) and not any(is_fixed_pair(*pair) for pair in joins) and not is_about_words(query)
