"""Readings given by the caller instead of a reader."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from math import nan
from numbers import Real
from typing import Any, TypeAlias

from boolattn.operators import NOT, OPERATORS
from boolattn.reading.limits import HIGHEST_WEIGHT, LONGEST_EXCLUDED, MOST_EXCLUDED, require_unicode
from boolattn.reading.reading import Exclusion, Reading
from boolattn.reading.rules.negations import negations
from boolattn.reading.spans import Span, SpanIndex, plain_marks

NAME = "caller"

ExcludedWords: TypeAlias = Sequence[str] | Mapping[str, float]
"""What a caller excludes from one query: ``["war"]``, or with weights ``{"war": 2}``."""


def caller_reading(query: str, exclude: ExcludedWords) -> Reading:
    """Return the reading of a query whose caller names what to exclude.

    The words that express an exclusion ("but not about") are found by rules, if present.

    Args:
        query: The text.
        exclude: Words, in any case: ``["war"]``, or with weights ``{"war": 2}``. Where the query contains them, that
            place is marked: if they occur twice, the occurrence after a negation, else the first. Others are excluded
            as they are. ``[]`` means that the query excludes nothing.

    Raises:
        ValueError: If they are too many, too long or empty, or if a weight is not above 0 and at most 10.
    """
    if isinstance(exclude, str):
        raise TypeError(f"exclude must be a list: write exclude=[{exclude!r}] instead of {exclude!r}")
    _require_few_and_short(exclude)
    if not exclude:
        return Reading.plain(query, "caller", NAME)
    denied = negations(query)
    exclusions = _exclusions(query, exclude, SpanIndex(each.scope for each in denied))
    spans = tuple(each.span for each in exclusions if each.span)
    excluded = SpanIndex(spans)
    cues = tuple(each.cue for each in denied if excluded.overlaps(each.scope))
    reading = labelled_reading(query, {NOT.name}, {NOT.name: cues}, {NOT.name: spans})
    return replace(reading, exclusions=exclusions)


def labelled_reading(
    query: str,
    operators: Collection[str],
    cues: Mapping[str, tuple[Span, ...]],
    scopes: Mapping[str, tuple[Span, ...]],
) -> Reading:
    """Return the reading of a labelled query; operators without an entry have no cues or scopes."""
    nothing: dict[str, tuple[Span, ...]] = dict.fromkeys(OPERATORS, ())
    exclusions = tuple(Exclusion(span, "topic", 1.0) for span in scopes.get(NOT.name, ()))
    return Reading(
        query, frozenset(operators), {**nothing, **cues}, {**nothing, **scopes}, exclusions, 1.0, "caller", NAME
    )


def _require_few_and_short(exclude: Collection[str]) -> None:
    if len(exclude) > MOST_EXCLUDED:
        raise ValueError(f"exclude has {len(exclude):,} texts, and at most {MOST_EXCLUDED} are allowed: name fewer")
    longest = max(map(len, exclude), default=0)
    if longest > LONGEST_EXCLUDED:
        raise ValueError(
            f"exclude contains a text of {longest:,} characters, and at most {LONGEST_EXCLUDED} are allowed: shorten it"
        )


def _exclusions(query: str, exclude: ExcludedWords, denied: SpanIndex) -> tuple[Exclusion, ...]:
    """Return exclusions in the order of the query, then those not in it; of equal ones, the one that weighs most."""
    weights: Iterable[tuple[str, Any]] = (
        exclude.items() if isinstance(exclude, Mapping) else ((text, 1.0) for text in exclude)
    )
    found: dict[Span | str, Exclusion] = {}
    for text, weight in weights:
        require_unicode(text, "a text in exclude")
        words, span = " ".join(text.split()), _place(query, text, denied)
        named = Exclusion(span, "topic", 1.0, text=words, weight=_weight(text, weight))
        same = span or plain_marks(words).casefold()
        found[same] = max(named, found.get(same, named), key=lambda each: each.weight)
    ordered = sorted(each for each in found if isinstance(each, Span))
    return (*(found[span] for span in ordered), *(each for each in found.values() if each.span is None))


def _weight(text: str, weight: Any) -> float:
    number = float(weight) if isinstance(weight, Real) and not isinstance(weight, bool) else nan
    if not 0 < number <= HIGHEST_WEIGHT:
        raise ValueError(
            f"the weight of {text!r} is {weight!r}: use a number above 0, up to {HIGHEST_WEIGHT:g}; 1 is the usual one"
        )
    return number


def _place(query: str, text: str, denied: SpanIndex) -> Span | None:
    """Return where a query names a text; None if it does not."""
    words = [re.escape(word) for word in plain_marks(text).split()]
    if not words:
        raise ValueError("exclude contains an empty text: write words, or exclude=[] to exclude nothing")
    pattern = re.compile(r"(?<!\w)" + r"\s+".join(words) + r"(?!\w)", re.IGNORECASE)
    found = [Span(*match.span()) for match in pattern.finditer(plain_marks(query))]
    return next((span for span in found if denied.overlaps(span)), found[0] if found else None)
