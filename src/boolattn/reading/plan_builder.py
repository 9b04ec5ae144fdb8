"""A query cut into atoms at the cues and scopes of its reading, and how the pieces combine."""

import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from boolattn.operators import AND, NOT, OR
from boolattn.reading.plan import AllOf, AnyOf, PlanNode, QueryAtom, is_exclusion, join, negated
from boolattn.reading.rules.lexicon import phrase_key
from boolattn.reading.rules.scope_rules import strip_dangling_clause
from boolattn.reading.spans import Span, content_words, plain_marks

# These say that alternatives follow, and stand between none: "films that are [either] long or old".
_OPENERS = ("either", "at least one of")
# What is left of a clause once its cue is taken away: "[that are] set in Rome", "[but] with elves", "films[, but i]".
_LOOSE_START = re.compile(
    r"(?:and|but|or|that|which|who|also|please|just)(?:\s+(?:is|are|was|were|do|does|also))*(?=[\s,]|$)"
)
_LOOSE_END = re.compile(r"\b(?:but\s+i|please|just)$")
_SAYING_NOTHING = {"i", "i'm", "i'd", "we", "please", "just", "fine"}
_EDGES_BEFORE, _EDGES_AFTER = " \t\r\n,;:?!)]-", " \t\r\n,;:.?!([-"
# Loose words seldom pile up; a bound on the work for a huge text.
_ROUNDS = 4

# A negation in the letters of ``_codes``: a cue and what it speaks of, perhaps in several pieces ("not both A and B"),
# or the other way about ("A and B excluded"), if that cue has nothing of its own behind it.
_NEGATION = re.compile("[nN](?:[uU]|j+u)(?:j*u)*|[uU](?:j*u)*(?:n(?![uU]|j+u))?")

Kind: TypeAlias = Literal["and", "or", "opener", "not", "unwanted"]
Item: TypeAlias = PlanNode | Kind


class _Mark(NamedTuple):
    """A place the reading speaks of: the cue of an operator, or what a *not* speaks of."""

    span: Span
    kind: Kind


def tree_of(
    query: str, cues: Mapping[str, tuple[Span, ...]], scopes: Mapping[str, tuple[Span, ...]]
) -> PlanNode | None:
    """Return what cues and scopes, by the operator's name, say of a query, or None if they mark nothing.

    *And* binds closer than *or*. What is excluded is excluded from everything, unless it stands in the midst of
    alternatives: "cats or dogs, but not poodles", and "(cats that are not black) or dogs".

    Raises:
        ValueError: If a span lies outside the query.
    """
    marks = _marks(query, cues, scopes)
    if not marks:
        return None
    sides = [span for name in (AND.name, OR.name) for span in scopes[name]]
    return _combined(list(_items(query, marks, sides)))


def _marks(query: str, cues: Mapping[str, tuple[Span, ...]], scopes: Mapping[str, tuple[Span, ...]]) -> list[_Mark]:
    """Return the marks in order; where two overlap, what is excluded comes first, then the cue of a *not*."""
    candidates = [_Mark(span, "unwanted") for span in scopes[NOT.name] if re.search(r"\w", span.of(query))]
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
                "use the reading of this very text"
            )
        place = bisect(marks, mark)
        if not any(mark.span.overlaps(other.span) for other in marks[max(0, place - 1) : place + 1]):
            marks.insert(place, mark)
    return marks


def _list_commas(query: str, sides: Sequence[Span]) -> Iterator[Span]:
    """Yield what stands between two sides in a list: "cats[,] dogs or fish"."""
    for before, after in pairwise(sorted(sides)):
        gap = Span(before.end, after.start)
        if gap.of(query).strip() in (",", ";"):
            yield gap


def _items(query: str, marks: Sequence[_Mark], sides: Sequence[Span]) -> Iterator[Item]:
    """Yield what is wanted and what is left out, in the order of the text, with the joins between them."""
    position = number = 0
    codes = _codes(query, marks)
    while number < len(marks):
        negation = _NEGATION.match(codes, number)
        if marks[number].kind == "not" and not negation:
            # A *not* that leaves nothing out stays part of the text.
            number += 1
            continue
        yield from _wanted(query, Span(position, marks[number].span.start), sides)
        end = negation.end() if negation else number + 1
        yield _unwanted(query, marks[number:end]) if negation else marks[number].kind
        position, number = marks[end - 1].span.end, end
    yield from _wanted(query, Span(position, len(query)), sides)


def _codes(query: str, marks: Sequence[_Mark]) -> str:
    """Return one letter for each mark: n, a *not*; u, unwanted; j, a join. A capital if words stand before it."""
    codes, position = [], 0
    for span, kind in marks:
        code = {"not": "n", "unwanted": "u"}.get(kind, "j")
        codes.append(code.upper() if _says_something(query[position : span.start]) else code)
        position = span.end
    return "".join(codes)


def _unwanted(query: str, marks: Sequence[_Mark]) -> PlanNode:
    """Return that the pieces of one negation do not hold."""
    joins = [mark.kind for mark in marks if mark.kind in ("and", "or")]
    # Of a list, the last join tells the kind: "without eggs, milk or butter".
    unsaid: Kind = "and" if joins[-1:] == ["and"] else "or"
    items: list[Item] = []
    for span, kind in marks:
        last = items[-1] if items else None
        if (
            kind == "unwanted"
            and isinstance(last, QueryAtom)
            and not re.search("[,;]", query[last.span.end : span.start])
        ):
            # Two pieces of one thing: "no [French] [war films]".
            items[-1] = QueryAtom.at(query, Span(last.span.start, span.end))
        elif kind == "unwanted":
            items += [unsaid] if isinstance(last, QueryAtom) else []
            items.append(QueryAtom.at(query, _trimmed(query, span)))
        elif kind in ("and", "or") and items:
            items.append(kind)
    condition = _any_of(items)
    assert condition is not None, "a negation has at least one unwanted piece"
    return negated(condition)


def _wanted(query: str, span: Span, sides: Sequence[Span]) -> Iterator[QueryAtom]:
    """Yield the atom that a piece between two marks says, if it is more than loose words."""
    for _ in range(_ROUNDS):
        span = _trimmed(query, span)
        span = Span(span.start, span.start + len(_LOOSE_END.sub("", strip_dangling_clause(span.of(query)))))
        if span.start and (loose := _LOOSE_START.match(span.of(query))):
            span = Span(span.start + loose.end(), span.end)
    atom = QueryAtom.at(query, _trimmed(query, span))
    if atom.text and (_says_something(atom.text) or any(atom.span.overlaps(side) for side in sides)):
        yield atom


def _says_something(text: str) -> bool:
    return any(word not in _SAYING_NOTHING for word in content_words(text))


def _trimmed(query: str, span: Span) -> Span:
    """Cut off space and punctuation, and the quotation marks of a piece that is one quoted phrase."""
    text = span.of(query)
    end = span.start + len(text.rstrip(_EDGES_AFTER))
    # The query's own beginning is no rest of anything: ".NET", "-5 degrees".
    start = min(end, span.end - len(text.lstrip(_EDGES_BEFORE))) if span.start else 0
    if re.fullmatch(r'"[^"]+"', plain_marks(query[start:end])):
        start, end = start + 1, end - 1
    return Span(start, end)


def _combined(items: Sequence[Item]) -> PlanNode | None:
    """Combine all items of a query."""
    unwanted = [item for item in items if not isinstance(item, str) and is_exclusion(item)]
    if _alternatives_leave_out(items):
        return _any_of(items)
    wanted = _any_of([item for item in items if item not in unwanted])
    parts = unwanted if wanted is None else [wanted, *unwanted]
    return join(AllOf, parts) if parts else None


def _alternatives_leave_out(items: Sequence[Item]) -> bool:
    """Whether an exclusion belongs to one of several alternatives: it stands behind one that another follows."""
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
    """Join items by *and*, and these by *or*; what stands before "either" is joined with all that follows it."""
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
