"""What a query asks for and what it excludes, in a form that people and programs can read.

A plan has atoms, wanted or unwanted, combined by *all of* and *any of*. Only atoms are negated: "not (A or B)" is
stored as "not A and not B". So an atom's sign alone says whether it is wanted, wherever it is in the tree.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, assert_never, get_args

from boolattn.reading.spans import Span
from boolattn.reading.syntax_tokens import tokens

Sign: TypeAlias = Literal[1, -1]

_TO_ESCAPE = re.compile(r'["\u201c\u201d\\]')
Source: TypeAlias = Literal["caller", "syntax", "rules", "learned", "mechanism"]


@dataclass(frozen=True, slots=True)
class QueryAtom:
    """One thing that a query mentions.

    Attributes:
        text: Its words.
        span: Where they are in the query; None if they are not in it.
        sign: +1 if it is wanted, -1 if it is excluded.
        weight: How often it is subtracted, if it is excluded.
    """

    text: str
    span: Span | None
    sign: Sign = 1
    weight: float = 1.0

    @property
    def place(self) -> Span:
        """Its span, or an empty one."""
        return self.span or Span(0, 0)

    @classmethod
    def at(cls, query: str, span: Span, sign: Sign = 1) -> "QueryAtom":
        """Return the atom for a piece of the query, without surrounding space."""
        text = span.of(query).strip()
        start = span.end - len(span.of(query).lstrip())
        return cls(text, Span(start, start + len(text)), sign)


@dataclass(frozen=True, slots=True)
class AllOf:
    """True if every part is."""

    parts: tuple["PlanNode", ...]

    def __post_init__(self) -> None:
        _require_several(self.parts)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """True if any part is."""

    parts: tuple["PlanNode", ...]

    def __post_init__(self) -> None:
        _require_several(self.parts)


PlanNode: TypeAlias = QueryAtom | AllOf | AnyOf


def join(kind: type[AllOf] | type[AnyOf], parts: Iterable[PlanNode]) -> PlanNode:
    """Combine one or more parts; parts of the same kind are merged, and a single part is returned as is."""
    merged = [each for part in parts for each in (part.parts if isinstance(part, kind) else (part,))]
    return merged[0] if len(merged) == 1 else kind(tuple(merged))


def negated(condition: PlanNode) -> PlanNode:
    """Return the negation of a condition."""
    match condition:
        case QueryAtom():
            return replace(condition, sign=-1 if condition.sign == 1 else 1)
        case AllOf(parts):
            return AnyOf(tuple(negated(part) for part in parts))
        case AnyOf(parts):
            return AllOf(tuple(negated(part) for part in parts))
    assert_never(condition)


def weighted(condition: PlanNode, weights: Mapping[Span, float]) -> PlanNode:
    """Return a condition whose unwanted atoms have the weights of their places; the highest, if an atom has several."""
    match condition:
        case QueryAtom(_, span, -1) if span is not None:
            of_atom = [weight for each, weight in weights.items() if each.overlaps(span)]
            return replace(condition, weight=max(of_atom, default=1.0))
        case QueryAtom():
            return condition
        case AllOf(parts) | AnyOf(parts):
            return type(condition)(tuple(weighted(part, weights) for part in parts))
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
        raise ValueError(f"all of and any of need two or more parts, not {len(parts)}: use the part itself")


@dataclass(frozen=True, slots=True)
class BooleanPlan:
    """The atoms of a query, wanted and unwanted, and how they combine.

    ``str(plan)`` is the plan in the explicit syntax, ``movies set in Vietnam NOT war``, which ``syntax.parse`` reads.

    Attributes:
        query: The text.
        condition: The atoms and how they combine.
        confidence: How sure the reader is, from 0 to 1.
        source: Where it comes from: the "caller", the explicit "syntax", the "rules", the "learned" reader, or the
            "mechanism" of a trained model.
        reader: The reader's name and version.
    """

    query: str
    condition: PlanNode
    confidence: float
    source: Source
    reader: str

    def __post_init__(self) -> None:
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"confidence is {self.confidence}: use a number from 0 to 1")
        if self.source not in get_args(Source):
            raise ValueError(f"no source {self.source!r}: use one of {', '.join(get_args(Source))}")

    @property
    def atoms(self) -> tuple[QueryAtom, ...]:
        """All atoms, in text order; at the end, those that are not in the query."""
        return tuple(sorted(atoms_in(self.condition), key=lambda atom: (atom.span is None, atom.place)))

    @property
    def positives(self) -> tuple[QueryAtom, ...]:
        """The wanted atoms; "not war films" has none."""
        return tuple(atom for atom in self.atoms if atom.sign == 1)

    @property
    def negatives(self) -> tuple[QueryAtom, ...]:
        """The excluded atoms."""
        return tuple(atom for atom in self.atoms if atom.sign == -1)

    def __str__(self) -> str:
        return written(self.condition)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        return {
            "query": self.query,
            "plan": str(self),
            "condition": _as_dict(self.condition),
            "confidence": self.confidence,
            "source": self.source,
            "reader": self.reader,
        }


def _as_dict(condition: PlanNode) -> dict[str, Any]:
    if isinstance(condition, QueryAtom):
        span, weight = condition.span, condition.weight
        found = {"text": condition.text, "span": list(span) if span else None, "sign": condition.sign}
        return found | ({"weight": weight} if weight != 1 else {})
    kind = "all_of" if isinstance(condition, AllOf) else "any_of"
    return {kind: [_as_dict(part) for part in condition.parts]}


def written(condition: PlanNode) -> str:
    """Write a condition in the explicit syntax: ``films AND (comedy OR drama) NOT war``.

    Equal conditions are always written the same way, and ``parse`` reads them back.
    """
    if isinstance(condition, QueryAtom):
        return ("" if condition.sign == 1 else "NOT ") + _written_text(condition.text)
    pieces = [written(part) if isinstance(part, QueryAtom) else f"({written(part)})" for part in condition.parts]
    if isinstance(condition, AnyOf):
        return " OR ".join(pieces)
    unwanted = [isinstance(part, QueryAtom) and part.sign == -1 for part in condition.parts]
    # "A NOT B" means "A AND NOT B".
    return pieces[0] + "".join(
        (" " if is_unwanted else " AND ") + piece for piece, is_unwanted in zip(pieces[1:], unwanted[1:], strict=True)
    )


def _written_text(text: str) -> str:
    """Quote a text unless it parses as one atom without quotes."""
    kinds = [token.kind for token in tokens(text)]
    is_plain = {"word"} <= {*kinds} <= {"word", "phrase"}
    return text if is_plain else '"' + _TO_ESCAPE.sub(r"\\\g<0>", text) + '"'
