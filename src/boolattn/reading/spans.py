"""Pieces of a query's text, and the tokens that lie in them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


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


def token_labels(offsets: Sequence[tuple[int, int]], spans: Iterable[Span]) -> list[bool]:
    """Tell for each token, by its character offsets, whether it shares a character with one of the spans.

    Special tokens have empty offsets, (0, 0), and so lie in no span.
    """
    chosen = list(spans)
    return [any(span.overlaps(Span(start, end)) for span in chosen) for start, end in offsets]
