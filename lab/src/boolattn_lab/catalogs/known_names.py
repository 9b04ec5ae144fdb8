"""Known names in a text, in one pass, however many there are."""

import re
from collections.abc import Iterable

from ahocorasick_rs import AhoCorasick

from boolattn.reading.spans import Span, plain_marks


class KnownNames:
    """Finds the names of a catalog in a text, in one pass, however many names there are.

    Names match in any case, but only as whole words.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Index the names; slow for many thousands, so build it once and reuse it."""
        folded = sorted({_folded(name) for name in names if name.strip()})
        self._automaton = AhoCorasick(folded) if folded else None

    def spans(self, text: str) -> list[Span]:
        """Return the span of every name in the text, including those within longer ones."""
        if self._automaton is None:
            return []
        matches = self._automaton.find_matches_as_indexes(_folded(text), overlapping=True)
        return [Span(start, end) for _, start, end in matches if is_whole_word(text, start, end)]


def is_whole_word(text: str, start: int, end: int) -> bool:
    """Whether these characters of a text have no letter or digit next to them."""
    return not re.search(r"\w", text[start - 1 : start] + text[end : end + 1])


def _folded(text: str) -> str:
    """Lowercase without changing the length, so that offsets remain valid."""
    lowered = plain_marks(text).lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(character if len(character.lower()) > 1 else character.lower() for character in plain_marks(text))
