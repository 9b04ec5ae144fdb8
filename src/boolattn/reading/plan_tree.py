"""What a query asks for: its atoms, wanted or unwanted, joined by *all of* and *any of*.

Negation stands at the atoms alone: "not (A or B)" is kept as "not A and not B". So the sign of an atom is the whole
truth about it, whatever stands around it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, assert_never

from boolattn.reading.spans import Span

Sign: TypeAlias = Literal[1, -1]


@dataclass(frozen=True, slots=True)
class QueryAtom:
    """One thing a query speaks of.

    Attributes:
        text: Its words.
        span: Where in the query they stand.
        sign: +1 if it is wanted, -1 if it is to be left out.
    """

    text: str
    span: Span
    sign: Sign = 1

    @classmethod
    def at(cls, query: str, span: Span, sign: Sign = 1) -> "QueryAtom":
        """Return the atom that a piece of the query says, without the space around it."""
        text = span.of(query).strip()
        start = span.end - len(span.of(query).lstrip())
        return cls(text, Span(start, start + len(text)), sign)


@dataclass(frozen=True, slots=True)
class AllOf:
    """Holds where every part does."""

    parts: tuple["PlanNode", ...]

    def __post_init__(self) -> None:
        _require_several(self.parts)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Holds where some part does."""

    parts: tuple["PlanNode", ...]

    def __post_init__(self) -> None:
        _require_several(self.parts)


PlanNode: TypeAlias = QueryAtom | AllOf | AnyOf


def join(kind: type[AllOf] | type[AnyOf], parts: Iterable[PlanNode]) -> PlanNode:
    """Join parts, at least one; parts of the same kind are merged into it, and a single part stays as it is."""
    merged = [each for part in parts for each in (part.parts if isinstance(part, kind) else (part,))]
    return merged[0] if len(merged) == 1 else kind(tuple(merged))


def negated(condition: PlanNode) -> PlanNode:
    """Return the condition that holds where this one does not."""
    match condition:
        case QueryAtom():
            return replace(condition, sign=-1 if condition.sign == 1 else 1)
        case AllOf(parts):
            return AnyOf(tuple(negated(part) for part in parts))
        case AnyOf(parts):
            return AllOf(tuple(negated(part) for part in parts))
    assert_never(condition)


def atoms_in(condition: PlanNode) -> Iterator[QueryAtom]:
    """Yield the atoms from left to right."""
    if isinstance(condition, QueryAtom):
        yield condition
    else:
        for part in condition.parts:
            yield from atoms_in(part)


def is_exclusion(condition: PlanNode) -> bool:
    """Whether no atom is wanted."""
    return all(atom.sign == -1 for atom in atoms_in(condition))


def _require_several(parts: tuple[PlanNode, ...]) -> None:
    if len(parts) < 2:
        raise ValueError(f"all of, any of join two parts or more, not {len(parts)}: use the part itself")
