"""The tree of a text with *and* or *or*: what its conjuncts and alternatives share is kept apart from them.

"Cookies with walnuts or raisins" is ``cookies AND (walnuts OR raisins)``. A list is a run of items with joins between
them. Its first item begins after the last preposition before it, and its last item ends before the next preposition.
Without a preposition before it, as in "cheap red or blue running shoes", the words around two items of one word are
shared. In a list, *or* binds tighter than *and*: "with salmon or trout and asparagus". Alternatives that repeat each
other's form share nothing: "hotels in Rome or hostels in Paris".

Which *and* is part of a name, and which texts set no conditions, ``boolattn.reading.names`` decides.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from boolattn.reading.lists import BOUNDARIES, EDGES, QUOTED, Join, Token, TokenKind, lists_in, name_in, tokens_of
from boolattn.reading.plan import AllOf, AnyOf, PlanNode, QueryAtom, join
from boolattn.reading.spans import Span, content_words

_WORD = re.compile(rf"{QUOTED}|[^\s,;:()\"\u201c\u201d]+")
_QUOTATION_MARKS = ('"', "\u201c")
_MOST_JOINS = 32  # so that no text takes long
_REQUEST = re.compile(
    r"(?:(?:hi|hello|please|can\ you|could\ you|i\ am|i'm|im|we\ are|we're)\b[\s,]*)*"
    r"(?:(?:(?:show|find|give|get|recommend|suggest|list|tell)(?:\ me|\ us)?|(?:looking|searching|search)\ for"
    r"|(?:i|we)(?:'d|\ would)?\ (?:want|need|like)(?:\ to\ \w+)?|which|what(?:\ are)?|any)\s+)?"
    r"(?:(?:any|some|good)\s+)?",
    re.IGNORECASE,
)


def coordinated(query: str, within: Span, joins: Iterable[Join]) -> PlanNode | None:
    """Return the tree of a part of a query that excludes nothing; None if the form of a list is not understood."""
    tokens = tokens_of(query, within, joins)
    if sum(each.kind != "word" for each in tokens) > _MOST_JOINS:
        return None
    return _tree(query, _without_names(tokens))


def _without_names(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with words in place of the joins that set no condition."""
    found = list(tokens)
    while (name := name_in(found)) is not None:
        found[name] = Token(found[name].span, found[name].text)
    return found


def _tree(query: str, tokens: Sequence[Token]) -> PlanNode | None:
    if not tokens:
        return None
    opener = next((place for place, each in enumerate(tokens) if each.kind == "opener"), 0)
    for place, each in enumerate(tokens):
        if each.kind != "or":
            continue
        if (
            opener < place
            and tokens[opener].kind == "opener"
            and any(token.key in BOUNDARIES for token in tokens[opener + 1 : place])
        ):
            return _alternatives(query, tokens[:opener], tokens[opener + 1 : place], tokens[place + 1 :])
        if _repeats_form(tokens[:place], tokens[place + 1 :]):
            return _alternatives(query, (), tokens[:place], tokens[place + 1 :])
    tokens = _without_names(tokens)  # once more: one that stood in a list with *or* may be alone in its alternative
    lists, cuts = lists_in(tokens)
    parts: list[PlanNode] = []
    position = tokens[0].span.start
    for found in lists:
        parts += _shared(query, Span(position, found.span.start), cuts)
        atoms = [_atom(query, item) for item in found.items]
        if not all(atoms):
            return None
        parts.append(_combined([atom for atom in atoms if atom], found.kinds))
        position = found.span.end
    parts += _shared(query, Span(position, tokens[-1].span.end), cuts)
    return join(AllOf, parts) if parts else None


def _alternatives(
    query: str, shared: Sequence[Token], first: Sequence[Token], second: Sequence[Token]
) -> PlanNode | None:
    """Return the tree of two alternatives, each with its own conditions, and of what precedes both."""
    branches = [_tree(query, first), _tree(query, second)]
    before = _tree(query, shared)
    either = [each for each in branches if each]
    if not either:
        return before
    return join(AllOf, [each for each in (before, join(AnyOf, either)) if each])


def _combined(atoms: Sequence[PlanNode], kinds: Sequence[TokenKind]) -> PlanNode:
    """Combine items: *or* binds tighter than *and*."""
    conjuncts: list[list[PlanNode]] = [[atoms[0]]]
    for atom, kind in zip(atoms[1:], kinds, strict=True):
        if kind == "or":
            conjuncts[-1].append(atom)
        else:
            conjuncts.append([atom])
    return join(AllOf, [join(AnyOf, each) for each in conjuncts])


def _repeats_form(before: Sequence[Token], after: Sequence[Token]) -> bool:
    """Whether two alternatives have the same form: "hotels in Rome", "hostels in Paris"."""
    words = [each for each in after if each.kind == "word"]
    if not words or not before:
        return False
    if len(words[0].key) > 2 and words[0].is_item and words[0].key in {each.key for each in before}:
        return True
    prepositions = [each.key for each in before if each.key in BOUNDARIES]
    first = next((number for number, each in enumerate(words) if each.key in BOUNDARIES), 0)
    capital = words[0].text[:1].isupper() and not before[0].text[:1].isupper()
    return bool(prepositions) and first > 0 and words[first].key == prepositions[-1] and not capital


def _shared(query: str, span: Span, cuts: Sequence[Span]) -> Iterator[QueryAtom]:
    """Yield what is said between lists."""
    inner = [cut for cut in cuts if span.start <= cut.start and cut.end <= span.end]
    for start, end in pairwise([span.start, *(edge for cut in inner for edge in cut), span.end]):
        if any((start, end) == cut for cut in inner):
            continue
        if atom := _atom(query, Span(start, end)):
            yield atom


def _atom(query: str, span: Span) -> QueryAtom | None:
    """Return the atom of a part, without words at its edges that say nothing; None if it says nothing."""
    if span.start == 0 and (request := _REQUEST.match(query, 0, span.end)):
        span = Span(request.end(), span.end)
    words = list(_WORD.finditer(query, *span))
    kept = [match for match in words if match[0].lower().rstrip(".?!") not in EDGES]
    if not kept:
        return None
    start, end = kept[0].start(), kept[-1].end()
    if len(kept) == 1 and (kept[0][0][0] in _QUOTATION_MARKS):
        start, end = start + 1, end - 1
    end = start + len(query[start:end].rstrip(".?! "))
    atom = QueryAtom.at(query, Span(start, end))
    return atom if content_words(atom.text) else None
