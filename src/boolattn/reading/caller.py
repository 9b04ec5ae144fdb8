"""Readings given by the caller instead of a reader."""

import re
from collections.abc import Collection, Mapping, Sequence

from boolattn.operators import NOT, OPERATORS
from boolattn.reading.limits import LONGEST_EXCLUDED, MOST_EXCLUDED
from boolattn.reading.reading import Exclusion, Reading
from boolattn.reading.rules.negations import negations
from boolattn.reading.spans import Span, SpanIndex, plain_marks

NAME = "caller"


def caller_reading(query: str, exclude: Sequence[str]) -> Reading:
    """Return the reading of a query whose caller names what to exclude.

    The words that express an exclusion ("but not about") are found by rules, if present.

    Args:
        query: The text.
        exclude: Words of the query, in any case: ``["war"]``. If they occur twice, the occurrence after a
            negation counts, else the first. ``[]`` means that the query excludes nothing.

    Raises:
        ValueError: If the query does not contain one of them, or if they are too many or too long.
    """
    if isinstance(exclude, str):
        raise TypeError(f"exclude must be a list: write exclude=[{exclude!r}] instead of {exclude!r}")
    _require_few_and_short(exclude)
    if not exclude:
        return Reading.plain(query, "caller", NAME)
    denied = negations(query)
    scopes = SpanIndex(each.scope for each in denied)
    spans = sorted({_place(query, text, scopes) for text in exclude})
    excluded = SpanIndex(spans)
    cues = tuple(each.cue for each in denied if excluded.overlaps(each.scope))
    return labelled_reading(query, {NOT.name}, {NOT.name: cues}, {NOT.name: tuple(spans)})


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


def _require_few_and_short(exclude: Sequence[str]) -> None:
    if len(exclude) > MOST_EXCLUDED:
        raise ValueError(f"exclude has {len(exclude):,} texts, and at most {MOST_EXCLUDED} are allowed: name fewer")
    longest = max(map(len, exclude), default=0)
    if longest > LONGEST_EXCLUDED:
        raise ValueError(
            f"exclude contains a text of {longest:,} characters, and at most {LONGEST_EXCLUDED} are allowed: shorten it"
        )


def _place(query: str, text: str, denied: SpanIndex) -> Span:
    """Return where a query names a text."""
    words = [re.escape(word) for word in plain_marks(text).split()]
    if not words:
        raise ValueError("exclude contains an empty text: use words of the query, or exclude=[] to exclude nothing")
    pattern = re.compile(r"(?<!\w)" + r"\s+".join(words) + r"(?!\w)", re.IGNORECASE)
    found = [Span(*match.span()) for match in pattern.finditer(plain_marks(query))]
    if not found:
        raise ValueError(f"exclude names {text!r}, which is not in the query {query!r}: name words of the query")
    return next((span for span in found if denied.overlaps(span)), found[0])
