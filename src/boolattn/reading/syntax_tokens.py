"""The tokens of the explicit syntax: how a text is cut into them, and how a condition is written with them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from boolattn.reading.plan_tree import AnyOf, PlanNode, QueryAtom
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
_TO_ESCAPE = re.compile(r'["\u201c\u201d\\]')


class Token(NamedTuple):
    """A piece of a text.

    ``kind`` is "word", "phrase" (quoted), "unclosed" (a quotation mark without its other), or the operator or bracket
    itself: "AND", "OR", "NOT", "-", "(", ")".
    """

    kind: str
    span: Span


def tokens(text: str) -> Iterator[Token]:
    """Cut a text into tokens.

    A minus is an operator where it begins a word and a letter, a quotation mark or a parenthesis follows: in "-war",
    not in "sci-fi", "1990 -2000" or "Paris - Texas". A quotation mark inside a word (5" disks) is part of the word.
    """
    for match in _TOKEN.finditer(text.translate(_STRAIGHT)):
        kind = match.lastgroup or ""
        yield Token(match[0] if kind in ("operator", "bracket") else kind, Span(*match.span()))


def unquoted(phrase: str) -> str:
    """Return what a quoted phrase says, without its escapes."""
    return re.sub(r"\\(.)", r"\1", phrase, flags=re.DOTALL)


def written(condition: PlanNode) -> str:
    """Write a condition in the explicit syntax: ``films AND (comedy OR drama) NOT war``.

    The same condition is always written the same way, and ``parse`` reads it back.
    """
    if isinstance(condition, QueryAtom):
        return ("" if condition.sign == 1 else "NOT ") + _written_text(condition.text)
    pieces = [written(part) if isinstance(part, QueryAtom) else f"({written(part)})" for part in condition.parts]
    if isinstance(condition, AnyOf):
        return " OR ".join(pieces)
    unwanted = [isinstance(part, QueryAtom) and part.sign == -1 for part in condition.parts]
    # "A NOT B" says "A AND NOT B".
    return pieces[0] + "".join(
        (" " if is_unwanted else " AND ") + piece for piece, is_unwanted in zip(pieces[1:], unwanted[1:], strict=True)
    )


def _written_text(text: str) -> str:
    """Quote a text unless it is read as one atom without."""
    kinds = [token.kind for token in tokens(text)]
    is_plain = {"word"} <= {*kinds} <= {"word", "phrase"}
    return text if is_plain else '"' + _TO_ESCAPE.sub(r"\\\g<0>", text) + '"'
