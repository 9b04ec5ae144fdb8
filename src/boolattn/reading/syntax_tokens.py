"""The tokens of the explicit syntax."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from boolattn.reading.spans import Span

_TOKEN = re.compile(
    r"""
    (?P<phrase>"(?:[^"\\]|\\.)*")
    | (?P<unclosed>")
    | (?P<operator>(?:AND|OR|NOT)(?=[\s()"]|$) | (?<![^\s(])-(?=["(]|[^\W\d_]))
    | (?P<bracket>[()])
    | (?P<word>[^\s()]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_STRAIGHT = str.maketrans("\u201c\u201d", '""')


class Token(NamedTuple):
    """A piece of a text.

    ``kind`` is "word", "phrase" (quoted), "unclosed" (an unmatched quotation mark), or the operator or bracket
    itself: "AND", "OR", "NOT", "-", "(", ")".
    """

    kind: str
    span: Span


def tokens(text: str) -> Iterator[Token]:
    """Split a text into tokens.

    A minus is an operator if it starts a word and a letter, quotation mark or parenthesis follows: in "-war",
    not in "sci-fi", "1990 -2000" or "Paris - Texas". A quotation mark inside a word (5" disks) is part of the word.
    """
    for match in _TOKEN.finditer(text.translate(_STRAIGHT)):
        kind = match.lastgroup or ""
        yield Token(match[0] if kind in ("operator", "bracket") else kind, Span(*match.span()))


def unquoted(phrase: str) -> str:
    """Return the text of a quoted phrase, without escapes."""
    return re.sub(r"\\(.)", r"\1", phrase, flags=re.DOTALL)
