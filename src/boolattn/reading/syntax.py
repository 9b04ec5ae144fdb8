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

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from boolattn.operators import AND, NOT, OPERATORS, OR
from boolattn.reading.plan import AllOf, AnyOf, BooleanPlan, PlanNode, QueryAtom, atoms_in, is_exclusion, join, negated
from boolattn.reading.reading import Exclusion, Reading
from boolattn.reading.spans import FUNCTION_WORDS, Span
from boolattn.reading.syntax_tokens import Token, tokens, unquoted

NAME = "syntax 1"
_OPERATORS = ("AND", "OR", "NOT", "-")
_DEEPEST = 50
_SHOWN_BEFORE, _SHOWN_AFTER = 50, 20

_JOINING = ("AND", "OR", "NOT")
# Behind an operator, these show that it is only mentioned: "the difference between AND and OR", "a NOT gate".
_NO_OPERANDS = {*FUNCTION_WORDS, "gate", "gates"}


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


class SyntaxReader:
    """Reads explicit syntax, exactly; a query in plain words gets a reading without operators."""

    name = NAME

    def __init__(self, always: bool = False) -> None:
        """Choose which queries are syntax.

        Args:
            always: Take every query for syntax, also ``-word`` and quoted phrases, and raise ``QuerySyntaxError``
                where one is broken. Otherwise only a query whose syntax is unmistakable is read.
        """
        self._always = always

    def read(self, queries: Sequence[str]) -> list[Reading]:
        """Read queries, each on its own."""
        return [self._read(query) for query in queries]

    def _read(self, query: str) -> Reading:
        if not self._always and not is_syntax(query):
            return Reading.plain(query, "syntax", NAME)
        return _reading_of(parse(query))


def is_syntax(text: str) -> bool:
    """Tell whether a text is unmistakably explicit syntax; in doubt, it is not.

    It takes AND, OR or NOT in capitals with a term on both sides, and the whole text must parse. Questions, texts all
    in capitals, and operators that are words of a sentence ("films that are NOT long", "hotels in Portland, OR") are
    no syntax; nor are a minus or quotation marks on their own, which command lines and temperatures have too.
    """
    found = list(tokens(text))
    terms = "".join(token.span.of(text) for token in found if token.kind in ("word", "phrase"))
    if terms.isupper() or terms.endswith("?") or not any(_joins(text, found, number) for number in range(len(found))):
        return False
    try:
        parse(text)
    except QuerySyntaxError:
        return False
    return True


def _joins(text: str, found: list[Token], number: int) -> bool:
    """Whether the token is an operator with a term on both sides."""
    if found[number].kind not in _JOINING or not 0 < number < len(found) - 1:
        return False
    before, after = found[number - 1], found[number + 1]
    if before.kind in ("(", "-", *_JOINING) or after.kind == ")":
        return False
    last_word, next_word = before.span.of(text), after.span.of(text)
    return last_word not in FUNCTION_WORDS and not last_word.endswith(",") and next_word not in _NO_OPERANDS


def _reading_of(plan: BooleanPlan) -> Reading:
    joined = {AND.name: list(_joined(plan.condition, AllOf)), OR.name: list(_joined(plan.condition, AnyOf))}
    excluded = tuple(atom.span for atom in plan.negatives)
    scopes = {name: tuple(sorted({atom.span for atom in atoms})) for name, atoms in joined.items()}
    return Reading(
        plan.query,
        frozenset(name for name, spans in {**scopes, NOT.name: excluded}.items() if spans),
        # What stands between atoms only joins them: none of it is part of what is wanted.
        {**dict.fromkeys(OPERATORS, ()), NOT.name: tuple(_gaps(plan)) if excluded else ()},
        {**scopes, NOT.name: excluded},
        tuple(Exclusion(span, "topic", 1.0) for span in excluded),
        1.0,
        "syntax",
        NAME,
        plan.condition,
    )


def _joined(tree: PlanNode, kind: type[AllOf] | type[AnyOf]) -> Iterator[QueryAtom]:
    """Yield the wanted atoms that *and*, or *or*, joins with others."""
    if isinstance(tree, QueryAtom):
        return
    wanted = [part for part in tree.parts if not is_exclusion(part)]
    if isinstance(tree, kind) and len(wanted) > 1:
        yield from (atom for part in wanted for atom in atoms_in(part) if atom.sign == 1)
    for part in tree.parts:
        yield from _joined(part, kind)


def _gaps(plan: BooleanPlan) -> Iterator[Span]:
    """Yield what stands before, between and after the atoms, where it is more than space."""
    edges = [Span(0, 0), *(atom.span for atom in plan.atoms), Span(len(plan.query), len(plan.query))]
    for left, right in pairwise(edges):
        gap = Span(left.end, right.start)
        if gap.of(plan.query).strip():
            yield gap
