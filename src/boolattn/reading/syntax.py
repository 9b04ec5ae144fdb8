r"""The explicit query syntax: ``films AND (comedy OR "science fiction") NOT war``.

======================  ==============================================================================================
``AND``, ``OR``,        Operators, in capitals only. NOT binds closest, then AND, then OR: ``A OR B AND NOT C`` is
``NOT``                 ``A OR (B AND (NOT C))``. Parentheses change that.
``A NOT B``             ``A AND NOT B``. AND is implied wherever two parts are adjacent.
``A -B``                The same, for the one word, quoted phrase or parenthesis right after the minus.
``science fiction``     Adjacent words are one atom, also with a quoted phrase among them.
``"not now AND here"``  A quoted phrase is one atom and contains no operators; ``\"`` is a quotation mark inside it.
======================  ==============================================================================================
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from boolattn.operators import AND, NOT, OPERATORS, OR
from boolattn.reading import limits
from boolattn.reading.plan import AllOf, AnyOf, BooleanPlan, PlanNode, QueryAtom, atoms_in, is_exclusion, join, negated
from boolattn.reading.reading import Exclusion, Reading
from boolattn.reading.spans import FUNCTION_WORDS, Span
from boolattn.reading.syntax_tokens import Token, tokens, unquoted

NAME = "syntax 1"
_OPERATORS = ("AND", "OR", "NOT", "-")
_DEEPEST = 50
_SHOWN_BEFORE, _SHOWN_AFTER = 50, 20

_JOINING = ("AND", "OR", "NOT")
# After an operator, these show that it is only mentioned: "the difference between AND and OR", "a NOT gate".
_NO_OPERANDS = {*FUNCTION_WORDS, "gate", "gates"}


class QuerySyntaxError(ValueError):
    """A syntax error in an explicit query.

    Attributes:
        position: The offending character, from 0.
    """

    def __init__(self, message: str, position: int) -> None:
        """Store the position."""
        super().__init__(message, position)
        self.position = position

    def __str__(self) -> str:
        return str(self.args[0])


class TooManyAtomsError(QuerySyntaxError):
    """A query in the explicit syntax with more parts than a search can take."""


def parse(text: str) -> BooleanPlan:
    """Parse a query in the explicit syntax.

    Raises:
        QuerySyntaxError: If a parenthesis, a quotation mark or an operand is missing, or the query is too long or has
            too many atoms; it says where and what to do.
    """
    if limits.is_too_long(text):
        raise QuerySyntaxError(
            f"the query has {len(text):,} characters, and explicit syntax may have {limits.LONGEST_QUERY:,}: shorten "
            "it",
            limits.LONGEST_QUERY,
        )
    return BooleanPlan(text, _Parser(text).whole(), confidence=1.0, source="syntax", reader=NAME)


class _Parser:
    """Parses tokens from left to right; one method per level of precedence."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(tokens(text))
        self._next = 0
        self._atoms = 0

    def whole(self) -> PlanNode:
        unclosed = next((token for token in self._tokens if token.kind == "unclosed"), None)
        if unclosed:
            raise self._error(unclosed, 'this quotation mark is never closed: add one, or write \\" inside a phrase')
        condition = self._any_of(depth=0)
        if self._next < len(self._tokens):
            raise self._error(self._tokens[self._next], "unmatched closing parenthesis: remove it, or open one earlier")
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
            raise self._error(opening, f"more than {_DEEPEST} nested parentheses: simplify the query")
        self._next += 1
        condition = self._any_of(depth)
        if not self._take(")"):
            raise self._error(opening, "this parenthesis is never closed: add ) after the group")
        return condition

    def _atom(self, one_word: bool) -> QueryAtom:
        first = self._next
        while self._take("word", "phrase") and not one_word:
            pass
        taken = self._tokens[first : self._next]
        if not taken:
            raise self._nothing_to_read()
        self._atoms += 1
        if self._atoms > limits.MOST_ATOMS:
            raise TooManyAtomsError(
                f"more than {limits.MOST_ATOMS} parts, of which this is the first too many: search for fewer at once",
                taken[0].span.start,
            )
        span = Span(taken[0].span.start, taken[-1].span.end)
        if len(taken) > 1 or taken[0].kind == "word":
            return QueryAtom.at(self._text, span)
        atom = QueryAtom.at(self._text, Span(span.start + 1, span.end - 1))
        said = unquoted(atom.text).strip()
        if not said:
            raise self._error(taken[0], "nothing between these quotation marks: write what to find, or remove them")
        return replace(atom, text=said)

    def _kind(self) -> str | None:
        return self._tokens[self._next].kind if self._next < len(self._tokens) else None

    def _take(self, *kinds: str) -> bool:
        taken = self._kind() in kinds
        self._next += taken
        return taken

    def _nothing_to_read(self) -> QuerySyntaxError:
        """Describe what is missing where an atom or a parenthesis should start."""
        here = self._tokens[self._next] if self._next < len(self._tokens) else None
        before = self._tokens[self._next - 1] if self._next else None
        if here and here.kind in _OPERATORS:
            return self._error(here, f'{here.kind} has nothing before it: add a term, or quote it: "{here.kind}"')
        if before and before.kind in _OPERATORS:
            advice = f'add a term, or quote it: "{before.kind}"'
            return self._error(before, f"{before.kind} has nothing after it: {advice}")
        if before and here:
            return self._error(before, "nothing between these parentheses: write what to find, or remove them")
        if before:
            return self._error(before, "this parenthesis is never closed: add a group and )")
        if here:
            return self._error(here, "unmatched closing parenthesis: remove it, or open one earlier")
        return self._error(Token("", Span(0, 0)), "the query is empty: write what to find")

    def _error(self, token: Token, problem: str) -> QuerySyntaxError:
        position = token.span.start
        start = max(0, position - _SHOWN_BEFORE)
        shown = "".join(each if each.isprintable() else " " for each in self._text[start : position + _SHOWN_AFTER])
        pointer = " " * (position - start) + "^"
        return QuerySyntaxError(f"{problem} (character {position + 1})\n    {shown}\n    {pointer}", position)


class SyntaxReader:
    """Reads explicit syntax exactly; a plain query gets a reading without operators."""

    name = NAME

    def __init__(self, always: bool = False) -> None:
        """Choose which queries are syntax.

        Args:
            always: Treat every query as syntax, including ``-word`` and quoted phrases, and raise ``QuerySyntaxError``
                if one is invalid or has too many atoms. Otherwise, only unmistakable syntax is read, and a query with
                too many atoms gets a reading without operators that says so.
        """
        self._always = always

    def read(self, queries: Sequence[str]) -> list[Reading]:
        """Read queries, each on its own."""
        return [self._read(query) for query in queries]

    def _read(self, query: str) -> Reading:
        plain = Reading.plain(query, "syntax", NAME)
        if not self._always and not is_syntax(query):
            return plain
        try:
            return _reading_of(parse(query))
        except TooManyAtomsError:
            if self._always:
                raise
            return replace(plain, unread_reason=limits.too_many_atoms())


def is_syntax(text: str) -> bool:
    """Return whether a text is unmistakably explicit syntax; in doubt, it is not.

    It needs AND, OR or NOT in capitals with a term on both sides, and the whole text must parse. Questions, texts all
    in capitals, and operators that are words of a sentence ("films that are NOT long", "hotels in Portland, OR") do
    not count; nor does a minus or quotation marks alone, which also occur in command lines and temperatures.
    """
    if limits.is_too_long(text) or not any(word in text for word in _JOINING):
        return False
    found = list(tokens(text))
    terms = "".join(token.span.of(text) for token in found if token.kind in ("word", "phrase"))
    if terms.isupper() or terms.endswith("?") or not any(_joins(text, found, number) for number in range(len(found))):
        return False
    try:
        parse(text)
    except TooManyAtomsError:
        return True  # a reader says so
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
    excluded = tuple(atom.place for atom in plan.negatives)
    scopes = {name: tuple(sorted({atom.place for atom in atoms})) for name, atoms in joined.items()}
    return Reading(
        plan.query,
        frozenset(name for name, spans in {**scopes, NOT.name: excluded}.items() if spans),
        # The text between atoms only joins them and is not part of what is wanted.
        {**dict.fromkeys(OPERATORS, ()), NOT.name: tuple(_gaps(plan)) if excluded else ()},
        {**scopes, NOT.name: excluded},
        tuple(Exclusion(span, "topic", 1.0) for span in excluded),
        1.0,
        "syntax",
        NAME,
        plan.condition,
    )


def _joined(tree: PlanNode, kind: type[AllOf] | type[AnyOf]) -> Iterator[QueryAtom]:
    """Yield the wanted atoms that *and*, or *or*, combines with others."""
    if isinstance(tree, QueryAtom):
        return
    wanted = [part for part in tree.parts if not is_exclusion(part)]
    if isinstance(tree, kind) and len(wanted) > 1:
        yield from (atom for part in wanted for atom in atoms_in(part) if atom.sign == 1)
    for part in tree.parts:
        yield from _joined(part, kind)


def _gaps(plan: BooleanPlan) -> Iterator[Span]:
    """Yield the text before, between and after the atoms, if it is more than space."""
    edges = [Span(0, 0), *(atom.place for atom in plan.atoms), Span(len(plan.query), len(plan.query))]
    for left, right in pairwise(edges):
        gap = Span(left.end, right.start)
        if gap.of(plan.query).strip():
            yield gap
