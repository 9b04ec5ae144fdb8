"""Reads queries that are written in the explicit syntax, and leaves all others alone."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from boolattn.operators import AND, NOT, OPERATORS, OR
from boolattn.reading.content_words import FUNCTION_WORDS
from boolattn.reading.plan import BooleanPlan
from boolattn.reading.plan_tree import AllOf, AnyOf, PlanNode, QueryAtom, atoms_in, is_exclusion
from boolattn.reading.reading import Exclusion, Reading
from boolattn.reading.spans import Span
from boolattn.reading.syntax import NAME, QuerySyntaxError, parse
from boolattn.reading.syntax_tokens import Token, tokens

_OPERATORS = ("AND", "OR", "NOT")
# Behind an operator, these show that it is only mentioned: "the difference between AND and OR", "a NOT gate".
_NO_OPERANDS = {*FUNCTION_WORDS, "gate", "gates"}


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
    if found[number].kind not in _OPERATORS or not 0 < number < len(found) - 1:
        return False
    before, after = found[number - 1], found[number + 1]
    if before.kind in ("(", "-", *_OPERATORS) or after.kind == ")":
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
