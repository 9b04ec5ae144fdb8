"""What a caller says of a query, in the place of any reader."""

import re
from collections.abc import Collection, Mapping, Sequence

from boolattn.operators import NOT, OPERATORS
from boolattn.reading.reading import Exclusion, Reading
from boolattn.reading.rules.negations import Negation, negations
from boolattn.reading.spans import Span, plain_marks

NAME = "caller"


def caller_reading(query: str, exclude: Sequence[str]) -> Reading:
    """Return the reading of a query whose caller says what it excludes.

    The words that express an exclusion ("but not about") are found by rules, if there are any.

    Args:
        query: The text.
        exclude: Words of the query, in any case: ``["war"]``. Where the query has them twice, the place after a
            negation counts, else the first. With ``[]`` the query excludes nothing.

    Raises:
        ValueError: If the query does not hold one of them.
    """
    if isinstance(exclude, str):
        raise TypeError(f"exclude is the text {exclude!r}: write exclude=[{exclude!r}]")
    if not exclude:
        return Reading.plain(query, "caller", NAME)
    denied = negations(query)
    spans = sorted({_place(query, text, denied) for text in exclude})
    cues = tuple(each.cue for each in denied if any(each.scope.overlaps(span) for span in spans))
    return labelled_reading(query, {NOT.name}, {NOT.name: cues}, {NOT.name: tuple(spans)})


def labelled_reading(
    query: str,
    operators: Collection[str],
    cues: Mapping[str, tuple[Span, ...]],
    scopes: Mapping[str, tuple[Span, ...]],
) -> Reading:
    """Return the reading of a query that somebody labelled; operators without an entry have no cues or scopes."""
    nothing: dict[str, tuple[Span, ...]] = dict.fromkeys(OPERATORS, ())
    exclusions = tuple(Exclusion(span, "topic", 1.0) for span in scopes.get(NOT.name, ()))
    return Reading(
        query, frozenset(operators), {**nothing, **cues}, {**nothing, **scopes}, exclusions, 1.0, "caller", NAME
    )


def _place(query: str, text: str, denied: Sequence[Negation]) -> Span:
    """Return where a query names a text."""
    words = [re.escape(word) for word in plain_marks(text).split()]
    if not words:
        raise ValueError("exclude holds an empty text: name words of the query, or pass exclude=[] to exclude nothing")
    pattern = re.compile(r"(?<!\w)" + r"\s+".join(words) + r"(?!\w)", re.IGNORECASE)
    found = [Span(*match.span()) for match in pattern.finditer(plain_marks(query))]
    if not found:
        raise ValueError(f"exclude names {text!r}, which is not in the query {query!r}: name words of the query")
    return next((span for span in found if any(each.scope.overlaps(span) for each in denied)), found[0])
