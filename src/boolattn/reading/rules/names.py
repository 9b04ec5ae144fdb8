"""Where a query holds a name, so that the words inside it are not read as Boolean operators."""

import re
from collections.abc import Iterable
from typing import Any

from boolattn.reading.spans import Span
from boolattn.reading.typography import plain_marks

_QUOTED = re.compile(r"\"[^\"]+\"|«[^»]+»|(?<!\w)'[^']+'(?!\w)")
_WORD = re.compile(r"\w")


class KnownNames:
    """Finds the names of a catalog in a text: one pass over the text, however many names there are.

    Names match whatever their case, and only whole words of the text.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Index the names; this takes a moment for many thousands, so build it once and keep it."""
        folded = sorted({_folded(name) for name in names if name.strip()})
        self._automaton = _automaton(folded) if folded else None

    def spans(self, text: str) -> list[Span]:
        """Return the place of every name in the text, those within longer ones included."""
        if self._automaton is None:
            return []
        matches = self._automaton.find_matches_as_indexes(_folded(text), overlapping=True)
        return [Span(start, end) for _, start, end in matches if _on_word_boundaries(text, start, end)]


NO_NAMES = KnownNames()


def name_spans(text: str, names: KnownNames) -> list[Span]:
    """Return the known names of the text, and its quoted strings with their quotation marks."""
    return names.spans(text) + [Span(*match.span()) for match in _QUOTED.finditer(plain_marks(text))]


def _automaton(names: list[str]) -> Any:
    # Imported here: reading a query, where no names are known, needs nothing outside the standard library.
    from ahocorasick_rs import AhoCorasick

    return AhoCorasick(names)


def _folded(text: str) -> str:
    """Lowercase without ever changing the length, so that offsets stay those of the text."""
    lowered = plain_marks(text).lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(character if len(character.lower()) > 1 else character.lower() for character in plain_marks(text))


def _on_word_boundaries(text: str, start: int, end: int) -> bool:
    return not (_WORD.match(text[start - 1 : start]) or _WORD.match(text[end : end + 1]))
