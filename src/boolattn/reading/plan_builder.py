"""Split a query into atoms at the cues and scopes of its reading, and combine them.

What is excluded splits the query into stretches. In each, ``coordination`` keeps what alternatives and conjuncts share;
where it does not understand a list, and in the text to encode (``wanted_text``), cues simply cut the text.
"""

import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Literal, NamedTuple, TypeAlias

from boolattn.operators import AND, NOT, OR
from boolattn.reading import limits
from boolattn.reading.coordination import coordinated
from boolattn.reading.lists import Join
from boolattn.reading.names import is_about_words
from boolattn.reading.plan import AllOf, AnyOf, PlanNode, QueryAtom, atoms_in, is_exclusion, join, negated
from boolattn.reading.rules.lexicon import phrase_key
from boolattn.reading.rules.scope_rules import strip_dangling_clause
from boolattn.reading.spans import Span, SpanIndex, content_words, has_word, plain_marks

# These announce alternatives but do not separate them: "films that are [either] long or old".
_OPENERS = ("either", "at least one of")
# The same of conjuncts: "films that are [both] long and old".
_OPENERS_OF_AND = ("both", "not only", "not just", "not merely", "not simply")
# What remains of a clause without its cue: "[that are] set in Rome", "[but] with elves", "films[, but i]".
_LOOSE_START = re.compile(
    r"(?:and|but|or|that|which|who|also|please|just)(?:\s+(?:is|are|was|were|do|does|also))*(?=[\s,]|$)"
)
_LOOSE_END = re.compile(r"\b(?:but\s+i|please|just)$")
_SAYING_NOTHING = {"i", "i'm", "i'd", "we", "please", "just", "fine"}
_EDGES_BEFORE, _EDGES_AFTER = " \t\r\n,;:?!)]-", " \t\r\n,;:.?!([-"
_QUOTATION_MARKS = ('"', "\u201c", "\u201d")
# Such words rarely pile up; this bounds the work for a huge text.
_ROUNDS = 4

# A negation in the letters of ``_codes``: a cue and its scope, perhaps in several pieces ("not both A and B"),
# or the reverse ("A and B excluded"), if nothing in scope follows that cue.
_NEGATION = re.compile("[nN](?:[uU]|j+u)(?:j*u)*|[uU](?:j*u)*(?:n(?![uU]|j+u))?")

Kind: TypeAlias = Literal["and", "or", "opener", "not", "unwanted"]
Item: TypeAlias = PlanNode | Kind


class _Mark(NamedTuple):
    """A span that the reading marks: the cue of an operator, or the scope of a *not*."""

    span: Span
    kind: Kind


def tree_of(
    query: str, cues: Mapping[str, tuple[Span, ...]], scopes: Mapping[str, tuple[Span, ...]]
) -> PlanNode | None:
    """Return the plan tree for the given cues and scopes by operator name, or None if they split nothing.

    In a list, *or* binds tighter than *and*; between clauses, *and* does. An exclusion applies to everything, unless it
    is between alternatives: "cats or dogs, but not poodles", and "(cats that are not black) or dogs".

    Raises:
        ValueError: If a span is outside the query.
    """
    marks = _marks(query, cues, scopes)
    if not marks:
        return None
    sides = SpanIndex(span for name in (AND.name, OR.name) for span in scopes[name])
    tree = _combined(list(_sharing_items(query, marks, sides)))
    if tree is None or next(islice(atoms_in(tree), limits.MOST_ATOMS, None), None) is not None:
        tree = _combined(list(_items(query, marks, sides)))
    # A name, or a question without conditions, is wanted as it is written.
    return None if isinstance(tree, QueryAtom) and tree.sign == 1 else tree


def wanted_text(query: str, cues: Mapping[str, tuple[Span, ...]], scopes: Mapping[str, tuple[Span, ...]]) -> str:
    """Return the query without cues and without what it excludes, as vectors encode it."""
    return " ".join(atom.text for atom in atoms_of(query, cues, scopes) if atom.sign == 1)


def atoms_of(
    query: str, cues: Mapping[str, tuple[Span, ...]], scopes: Mapping[str, tuple[Span, ...]]
) -> Iterator[QueryAtom]:
    """Yield the atoms of ``tree_of`` one by one, so that whoever counts them can stop."""
    sides = SpanIndex(span for name in (AND.name, OR.name) for span in scopes[name])
    for item in _items(query, _marks(query, cues, scopes), sides):
        if not isinstance(item, str):
            yield from atoms_in(item)


def _marks(query: str, cues: Mapping[str, tuple[Span, ...]], scopes: Mapping[str, tuple[Span, ...]]) -> list[_Mark]:
    """Return the marks in order; where two overlap, exclusions win, then the cue of a *not*."""
    candidates = [_Mark(span, "unwanted") for span in scopes[NOT.name] if has_word(span.of(query))]
    candidates += [_Mark(span, "not") for span in cues[NOT.name]]
    candidates += [_Mark(span, "and") for span in cues[AND.name]]
    for span in cues[OR.name]:
        candidates.append(_Mark(span, "opener" if phrase_key(span.of(query)) in _OPENERS else "or"))
    candidates += [_Mark(comma, "or") for comma in _list_commas(query, scopes[OR.name])]
    candidates += [_Mark(comma, "and") for comma in _list_commas(query, scopes[AND.name])]
    marks: list[_Mark] = []
    for mark in candidates:
        if not 0 <= mark.span.start < mark.span.end <= len(query):
            raise ValueError(
                f"the reading marks characters {mark.span.start} to {mark.span.end} of a query of {len(query)}: "
                "use the reading of this text"
            )
        place = bisect(marks, mark)
        if not any(mark.span.overlaps(other.span) for other in marks[max(0, place - 1) : place + 1]):
            marks.insert(place, mark)
    return marks


def _list_commas(query: str, sides: Sequence[Span]) -> Iterator[Span]:
    """Yield the text between two sides in a list: "cats[,] dogs or fish"."""
    for before, after in pairwise(sorted(sides)):
        gap = Span(before.end, after.start)
        if gap.of(query).strip() in (",", ";"):
            yield gap


def _items(query: str, marks: Sequence[_Mark], sides: SpanIndex) -> Iterator[Item]:
    """Yield what is wanted and what is left out, in the order of the text, with the joins between them."""
    position = number = 0
    codes = _codes(query, marks)
    while number < len(marks):
        negation = _NEGATION.match(codes, number)
        if marks[number].kind == "not" and not negation:
            # A *not* that excludes nothing stays part of the text.
            number += 1
            continue
        yield from _wanted(query, Span(position, marks[number].span.start), sides)
        end = negation.end() if negation else number + 1
        yield _unwanted(query, marks[number:end]) if negation else marks[number].kind
        position, number = marks[end - 1].span.end, end
    yield from _wanted(query, Span(position, len(query)), sides)


def _sharing_items(query: str, marks: Sequence[_Mark], sides: SpanIndex) -> Iterator[Item]:
    """Yield the same with one tree for each stretch between exclusions, where conjuncts keep what they share."""
    position = number = 0
    joins: list[_Mark] = []
    asks_about_words = is_about_words(query)
    codes = _codes(query, marks)
    while number < len(marks):
        negation = _NEGATION.match(codes, number)
        if negation is None:
            joins += [] if asks_about_words or marks[number].kind == "not" else [marks[number]]
            number += 1
            continue
        yield from _stretch(query, Span(position, marks[number].span.start), joins, sides)
        end = negation.end()
        yield _unwanted(query, marks[number:end])
        position, number, joins = marks[end - 1].span.end, end, []
    yield from _stretch(query, Span(position, len(query)), joins, sides)


def _stretch(query: str, stretch: Span, joins: Sequence[_Mark], sides: SpanIndex) -> Iterator[Item]:
    """Yield the tree of a stretch, and the joins at its edges, which belong to the exclusions around it."""
    first, last = 0, len(joins)
    start, end = stretch
    while first < last and start and not _says_something(query[start : joins[first].span.start]):
        yield joins[first].kind
        start, first = joins[first].span.end, first + 1
    while last > first and end < len(query) and not _says_something(query[joins[last - 1].span.end : end]):
        end, last = joins[last - 1].span.start, last - 1
    inner = [_join_of(query, each) for each in joins[first:last] if not _is_comma(query, each)]
    if not any(each.kind != "opener" for each in inner):  # a list without a cue, as the reader sees it
        inner = [Join(each.span, "and" if each.kind != "opener" else each.kind) for each in joins[first:last]]
    tree = coordinated(query, Span(start, end), inner) if any(each.kind != "opener" for each in inner) else None
    if tree is not None:
        yield tree
    else:
        kept = joins[first:last]
        for place, before in zip([*kept, None], [start, *(each.span.end for each in kept)], strict=True):
            yield from _wanted(query, Span(before, place.span.start if place else end), sides)
            if place:
                yield place.kind
    yield from (each.kind for each in joins[last:])


def _join_of(query: str, mark: _Mark) -> Join:
    phrase = phrase_key(mark.span.of(query))
    if phrase in (*_OPENERS, *_OPENERS_OF_AND):
        return Join(mark.span, "opener")
    return Join(mark.span, "or" if mark.kind == "or" else "and")


def _is_comma(query: str, mark: _Mark) -> bool:
    return mark.span.of(query).strip() in (",", ";")


def _codes(query: str, marks: Sequence[_Mark]) -> str:
    """Return one letter per mark: n, a *not*; u, unwanted; j, a join. A capital if words precede it."""
    codes, position = [], 0
    for span, kind in marks:
        code = {"not": "n", "unwanted": "u"}.get(kind, "j")
        codes.append(code.upper() if _says_something(query[position : span.start]) else code)
        position = span.end
    return "".join(codes)


def _unwanted(query: str, marks: Sequence[_Mark]) -> PlanNode:
    """Negate the pieces of one negation."""
    joins = [mark.kind for mark in marks if mark.kind in ("and", "or")]
    # In a list, the last join decides: "without eggs, milk or butter".
    unsaid: Kind = "and" if joins[-1:] == ["and"] else "or"
    items: list[Item] = []
    for span, kind in marks:
        last = items[-1] if items else None
        if (
            kind == "unwanted"
            and isinstance(last, QueryAtom)
            and not re.search("[,;]", query[last.place.end : span.start])
        ):
            # Two pieces of one thing: "no [French] [war films]".
            items[-1] = QueryAtom.at(query, Span(last.place.start, span.end))
        elif kind == "unwanted":
            items += [unsaid] if isinstance(last, QueryAtom) else []
            items.append(QueryAtom.at(query, _trimmed(query, span)))
        elif kind in ("and", "or") and items:
            items.append(kind)
    condition = _any_of(items)
    assert condition is not None, "a negation has at least one unwanted piece"
    return negated(condition)


def _wanted(query: str, span: Span, sides: SpanIndex) -> Iterator[QueryAtom]:
    """Yield the atom that a piece between two marks says, if it is more than loose words."""
    for _ in range(_ROUNDS):
        before = span
        span = _trimmed(query, span)
        span = Span(span.start, span.start + len(_LOOSE_END.sub("", strip_dangling_clause(span.of(query)))))
        if span.start and (loose := _LOOSE_START.match(span.of(query))):
            span = Span(span.start + loose.end(), span.end)
        if span == before:
            break
    atom = QueryAtom.at(query, _trimmed(query, span))
    if atom.text and (_says_something(atom.text) or sides.overlaps(atom.place)):
        yield atom


def _says_something(text: str) -> bool:
    return any(word not in _SAYING_NOTHING for word in content_words(text))


def _trimmed(query: str, span: Span) -> Span:
    """Strip space and punctuation, and the quotation marks of a piece that is one quoted phrase."""
    text = span.of(query)
    end = span.start + len(text.rstrip(_EDGES_AFTER))
    # Punctuation at the start of the query belongs to it: ".NET", "-5 degrees".
    start = min(end, span.end - len(text.lstrip(_EDGES_BEFORE))) if span.start else 0
    if query[start:end].endswith(_QUOTATION_MARKS) and re.fullmatch(r'"[^"]+"', plain_marks(query[start:end])):
        start, end = start + 1, end - 1
    return Span(start, end)


def _combined(items: Sequence[Item]) -> PlanNode | None:
    """Combine all items of a query."""
    if _alternatives_leave_out(items):
        return _any_of(items)
    unwanted: list[PlanNode] = []
    others: list[Item] = []
    for item in items:
        if isinstance(item, str) or not is_exclusion(item):
            others.append(item)
        else:
            unwanted.append(item)
    wanted = _any_of(others)
    parts = unwanted if wanted is None else [wanted, *unwanted]
    return join(AllOf, parts) if parts else None


def _alternatives_leave_out(items: Sequence[Item]) -> bool:
    """Whether an exclusion belongs to one of several alternatives: it follows one and precedes another."""
    wanted: list[list[bool]] = [[]]
    for item in items:
        if item == "or":
            wanted.append([])
        elif not isinstance(item, str):
            wanted[-1].append(not is_exclusion(item))
    *earlier, _ = wanted
    return any(False in signs[signs.index(True) :] for signs in earlier if True in signs) or (
        len(wanted) > 1 and any(signs and True not in signs for signs in wanted)
    )


def _any_of(items: Sequence[Item], opened: bool = False) -> PlanNode | None:
    """Combine items by *and*, then by *or*; what precedes "either" is combined with everything after it."""
    alternatives: list[list[PlanNode]] = [[]]
    for number, item in enumerate(items):
        if item == "opener" and alternatives[-1] and not opened:
            following = _any_of(items[number + 1 :], opened=True)
            alternatives[-1] += [] if following is None else [following]
            break
        if item == "or":
            alternatives.append([])
        elif not isinstance(item, str):
            alternatives[-1].append(item)
    parts = [join(AllOf, branch) for branch in alternatives if branch]
    return join(AnyOf, parts) if parts else None
