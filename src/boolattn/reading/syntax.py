r"""The explicit query syntax: ``films AND (comedy OR "science fiction") NOT war``.

======================  ==============================================================================================
``AND``, ``OR``,        Operators, in capitals only. NOT binds closest, then AND, then OR: ``A OR B AND NOT C`` is
``NOT``                 ``A OR (B AND (NOT C))``. Parentheses change that.
``A NOT B``             ``A AND NOT B``. Wherever two parts stand side by side, AND is meant.
``A -B``                The same for the one word, quoted phrase or parenthesis right behind the minus.
``science fiction``     Words side by side are one atom, also with a quoted phrase among them.
``"not now AND here"``  A quoted phrase is one atom and holds no operators; ``\"`` is a quotation mark inside it.
======================  ==============================================================================================
"""

from dataclasses import replace

from boolattn.reading.plan import BooleanPlan
from boolattn.reading.plan_tree import AllOf, AnyOf, PlanNode, QueryAtom, join, negated
from boolattn.reading.spans import Span
from boolattn.reading.syntax_tokens import Token, tokens, unquoted

NAME = "syntax 1"
_OPERATORS = ("AND", "OR", "NOT", "-")
_DEEPEST = 50
_SHOWN_BEFORE, _SHOWN_AFTER = 50, 20


class QuerySyntaxError(ValueError):
    """A query in the explicit syntax that cannot be read.

    Attributes:
        position: The character at fault, from 0.
    """

    def __init__(self, message: str, position: int) -> None:
        """Keep where the fault is."""
        super().__init__(message, position)
        self.position = position

    def __str__(self) -> str:
        return str(self.args[0])


def parse(text: str) -> BooleanPlan:
    """Read a query in the explicit syntax.

    Raises:
        QuerySyntaxError: If a parenthesis, a quotation mark or an operand is missing; it says where and what to do.
    """
    return BooleanPlan(text, _Parser(text).whole(), confidence=1.0, source="syntax", reader=NAME)


class _Parser:
    """Reads tokens from left to right; one method for each level of precedence."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(tokens(text))
        self._next = 0

    def whole(self) -> PlanNode:
        unclosed = next((token for token in self._tokens if token.kind == "unclosed"), None)
        if unclosed:
            raise self._error(unclosed, 'this quotation mark has no other: add one, or write \\" inside a phrase')
        condition = self._any_of(depth=0)
        if self._next < len(self._tokens):
            raise self._error(self._tokens[self._next], "this parenthesis closes none: drop it, or open one before")
        return condition

    def _any_of(self, depth: int) -> PlanNode:
        parts = [self._all_of(depth)]
        while self._take("OR"):
            parts.append(self._all_of(depth))
        return join(AnyOf, parts)

    def _all_of(self, depth: int) -> PlanNode:
        parts = [self._signed(depth)]
        while self._kind() not in (None, "OR", ")"):
            self._take("AND")
            parts.append(self._signed(depth))
        return join(AllOf, parts)

    def _signed(self, depth: int) -> PlanNode:
        signs = []
        while self._kind() in ("NOT", "-"):
            signs.append(self._kind())
            self._next += 1
        operand = self._group(depth + 1) if self._kind() == "(" else self._atom(one_word=signs[-1:] == ["-"])
        return negated(operand) if len(signs) % 2 else operand

    def _group(self, depth: int) -> PlanNode:
        opening = self._tokens[self._next]
        if depth > _DEEPEST:
            raise self._error(opening, f"more than {_DEEPEST} parentheses within each other: write it flatter")
        self._next += 1
        condition = self._any_of(depth)
        if not self._take(")"):
            raise self._error(opening, "this parenthesis is never closed: add ) behind what belongs together")
        return condition

    def _atom(self, one_word: bool) -> QueryAtom:
        first = self._next
        while self._take("word", "phrase") and not one_word:
            pass
        taken = self._tokens[first : self._next]
        if not taken:
            raise self._nothing_to_read()
        span = Span(taken[0].span.start, taken[-1].span.end)
        if len(taken) > 1 or taken[0].kind == "word":
            return QueryAtom.at(self._text, span)
        atom = QueryAtom.at(self._text, Span(span.start + 1, span.end - 1))
        said = unquoted(atom.text).strip()
        if not said:
            raise self._error(
                taken[0], "nothing stands between these quotation marks: write what to find, or drop them"
            )
        return replace(atom, text=said)

    def _kind(self) -> str | None:
        return self._tokens[self._next].kind if self._next < len(self._tokens) else None

    def _take(self, *kinds: str) -> bool:
        taken = self._kind() in kinds
        self._next += taken
        return taken

    def _nothing_to_read(self) -> QuerySyntaxError:
        """Say what is missing where an atom or a parenthesis should begin."""
        here = self._tokens[self._next] if self._next < len(self._tokens) else None
        before = self._tokens[self._next - 1] if self._next else None
        if here and here.kind in _OPERATORS:
            return self._error(
                here, f'{here.kind} has nothing before it: write what it joins, or quote it: "{here.kind}"'
            )
        if before and before.kind in _OPERATORS:
            advice = f'write what it speaks of, or quote it: "{before.kind}"'
            return self._error(before, f"{before.kind} has nothing after it: {advice}")
        if before and here:
            return self._error(before, "nothing stands between these parentheses: write what to find, or drop them")
        if before:
            return self._error(before, "this parenthesis is never closed: write what belongs together, and )")
        if here:
            return self._error(here, "this parenthesis closes none: drop it, or open one before")
        return self._error(Token("", Span(0, 0)), "the query is empty: write what to find")

    def _error(self, token: Token, problem: str) -> QuerySyntaxError:
        position = token.span.start
        start = max(0, position - _SHOWN_BEFORE)
        shown = "".join(each if each.isprintable() else " " for each in self._text[start : position + _SHOWN_AFTER])
        pointer = " " * (position - start) + "^"
        return QuerySyntaxError(f"{problem} (character {position + 1})\n    {shown}\n    {pointer}", position)
