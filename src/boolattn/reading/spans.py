"""Spans and words of a text, and plain punctuation."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby
from typing import NamedTuple

_PLAIN_MARKS = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2013": "-",
        "\u2014": "-",
        "\uff0c": ",",
        "\uff1f": "?",
    }
)

WORD = re.compile(r"\w+(?:'\w+)*")
FUNCTION_WORDS = frozenset({
    "a", "an", "the", "of", "in", "on", "at", "by", "to", "for", "from", "with", "during", "about", "into", "within",
    "and", "or", "but", "not", "non", "nor", "both", "either", "also", "as", "well", "too", "any", "all", "some",
    "that", "which", "who", "whose", "what", "where", "is", "are", "was", "were", "be", "been", "can", "do", "does",
    "have", "has", "it", "its", "their", "list", "find", "me", "show", "there", "ones", "found", "take", "takes",
    "place", "involve", "common", "excluding", "except", "without", "isn't", "aren't", "weren't", "don't", "doesn't",
    "isnt", "arent", "werent", "dont", "doesnt",
})  # fmt: skip
_LETTERS = r"[0-9A-Za-z\u00C0-\u024F]+"  # scripts with spaces between words
_WORD = re.compile(rf"{_LETTERS}(?:['\u2019]{_LETTERS})*")


def plain_marks(text: str) -> str:
    """Return the text with straight quotation marks and plain dashes, at the same length."""
    return text.translate(_PLAIN_MARKS)


def content_words(text: str) -> list[str]:
    """Return the words of the text that carry meaning, in lower case and in order."""
    return [word for word in WORD.findall(plain_marks(text).lower()) if word not in FUNCTION_WORDS]


def has_word(text: str) -> bool:
    """Whether a text contains a letter or a digit; an emoji or "++" does not."""
    return re.search(r"\w", text) is not None


class Span(NamedTuple):
    """Characters ``start`` to ``end`` (exclusive) of a text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the characters themselves."""
        return text[self.start : self.end]

    def overlaps(self, other: "Span") -> bool:
        """Whether the two share a character."""
        return self.start < other.end and other.start < self.end


class SpanIndex:
    """Finds spans of a text by position, so that a text with many of them is read in linear time."""

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        """Sort the spans; they may overlap."""
        ordered = sorted(spans)
        self._starts = [span.start for span in ordered]
        self._furthest = list(accumulate((span.end for span in ordered), max))
        self._ends = sorted(span.end for span in ordered)

    def overlaps(self, span: Span) -> bool:
        """Whether any of them shares a character with a span."""
        return self.reach(span.end) > span.start

    def reach(self, position: int) -> int:
        """Return how far the spans that start before a position extend; 0 if there are none."""
        number = bisect_left(self._starts, position)
        return self._furthest[number - 1] if number else 0

    def last_end(self, position: int) -> int:
        """Return the last end at or before a position; 0 if there is none."""
        number = bisect_right(self._ends, position)
        return self._ends[number - 1] if number else 0

    def next_start(self, position: int) -> int | None:
        """Return the first start at or after a position; None if there is none."""
        number = bisect_left(self._starts, position)
        return self._starts[number] if number < len(self._starts) else None


def token_labels(offsets: Sequence[tuple[int, int]], spans: Iterable[Span]) -> list[bool]:
    """Return for each token, by its character offsets, whether it shares a character with one of the spans.

    Special tokens have empty offsets, (0, 0), and so are in no span.
    """
    chosen = list(spans)
    return [any(span.overlaps(Span(start, end)) for span in chosen) for start, end in offsets]


def marked_words(text: str, offsets: Sequence[tuple[int, int]], marks: Sequence[bool]) -> tuple[Span, ...]:
    """Turn marked tokens into spans of whole words, joining neighbours.

    A word is marked if at least half of its letters are, however a tokenizer splits it.

    Args:
        text: The query.
        offsets: The characters of each token; (0, 0) for special tokens.
        marks: Which tokens are marked.
    """
    marked = [bool(mark) for mark in marks]
    ordered = sorted((first, last, place) for place, (first, last) in enumerate(offsets) if first < last)
    starts = [first for first, _, _ in ordered]
    # A tokenizer truncates: words after its last token are not worth looking at.
    for word in _WORD.finditer(text, 0, max((last for _, last in offsets), default=0)):
        inner = ordered[bisect_left(starts, word.start()) : bisect_left(starts, word.end())]
        pieces = [place for _, last, place in inner if last <= word.end()]
        sizes = [offsets[place][1] - offsets[place][0] for place in pieces]
        inside = sum(size for place, size in zip(pieces, sizes, strict=True) if marked[place])
        for place in pieces:
            marked[place] = 2 * inside >= sum(sizes)
    own = [(first, last, mark) for (first, last), mark in zip(offsets, marked, strict=True) if first < last]
    runs = (list(run) for mark, run in groupby(own, key=lambda token: token[2]) if mark)
    return tuple(Span(run[0][0], run[-1][1]) for run in runs)
