"""What filters share: the part of a plan that excludes, in SQL or not, and the forms of its words."""

import re
from collections.abc import Callable

from boolattn.plans.word_forms import other_forms
from boolattn.reading.plan import AllOf, AnyOf, PlanNode, QueryAtom, join

_NUMBERS: list[tuple[str, list[tuple[int | None, str]]]] = [
    (r"news|glasses|.*(?:ss|us|is)|.*[^a-z]", []),
    (r".*ies", [(-1, ""), (-3, "y")]),
    (r".*(?:[sxz]|[cs]h|o)es", [(-1, ""), (-2, "")]),
    (r".*s", [(-1, "")]),
    (r".*[^aeiou]y", [(-1, "ies")]),
    (r".*(?:[xz]|[cs]h|o)", [(None, "s"), (None, "es")]),
    (r".*", [(None, "s")]),
]
"""For the last word, by the first pattern that fits: where it is cut, and what follows, to get its other number."""


def unwanted_part(condition: PlanNode) -> PlanNode | None:
    """Return what a condition requires of a document that has everything wanted; None for nothing."""
    if isinstance(condition, QueryAtom):
        return condition if condition.sign == -1 else None
    parts = [unwanted_part(part) for part in condition.parts]
    required = [part for part in parts if part is not None]
    if not required or (isinstance(condition, AnyOf) and None in parts):
        return None
    return join(type(condition), required)


def singular_and_plural(text: str) -> list[str]:
    """Return a text, and the same with its last word in the other number, for engines that do not stem.

    A form that is no word ("dishe") does no harm.
    """
    last = text.split()[-1].lower()
    changes = next(changes for pattern, changes in _NUMBERS if re.fullmatch(pattern, last))
    regular = [text[:end] + ending for end, ending in changes]
    return [text, *regular, *(text[: len(text) - len(last)] + form for form in other_forms(last))]


def to_sql(condition: PlanNode, contains: Callable[[QueryAtom], str]) -> str:
    """Write a condition in SQL."""
    if isinstance(condition, QueryAtom):
        return contains(condition) if condition.sign == 1 else f"NOT ({contains(condition)})"
    word = " AND " if isinstance(condition, AllOf) else " OR "
    return word.join(f"({to_sql(part, contains)})" for part in condition.parts)
