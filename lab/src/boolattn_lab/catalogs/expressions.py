"""Boolean expressions over atoms: their structure, and which entities match them."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import TypeAlias, assert_never

from pyroaring import FrozenBitMap

from boolattn.operators import AND, NOT, OPERATORS, OR
from boolattn.reading.plan import AllOf, AnyOf, PlanNode, QueryAtom, Sign
from boolattn_lab.catalogs.atoms import Atom, Phrases


@dataclass(frozen=True, slots=True)
class And:
    """Entities that match all parts."""

    parts: tuple["Expression", ...]

    def __post_init__(self) -> None:
        _check_parts(self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    """Entities that match any part."""

    parts: tuple["Expression", ...]

    def __post_init__(self) -> None:
        _check_parts(self.parts)


@dataclass(frozen=True, slots=True)
class Not:
    """Entities that do not match the part."""

    part: "Expression"


@dataclass(frozen=True, slots=True)
class AndNot:
    """Entities that match ``kept`` but not ``dropped``."""

    kept: "Expression"
    dropped: "Expression"


Expression: TypeAlias = Atom | And | Or | Not | AndNot


def evaluate(expression: Expression, members: Mapping[Atom, FrozenBitMap], everything: FrozenBitMap) -> FrozenBitMap:
    """Return the entities that match the expression.

    Args:
        expression: The expression.
        members: The entities of each atom.
        everything: All entities.
    """
    match expression:
        case Atom():
            return members[expression]
        case And(parts):
            return reduce(and_, (evaluate(part, members, everything) for part in parts))
        case Or(parts):
            return reduce(or_, (evaluate(part, members, everything) for part in parts))
        case Not(part):
            return everything - evaluate(part, members, everything)
        case AndNot(kept, dropped):
            return evaluate(kept, members, everything) - evaluate(dropped, members, everything)
    assert_never(expression)


def signed_atoms(expression: Expression, sign: Sign = 1) -> Iterator[tuple[Atom, Sign]]:
    """Yield every atom from left to right, with -1 if it is negated; a double negation is positive."""
    opposite: Sign = -1 if sign == 1 else 1
    match expression:
        case Atom():
            yield expression, sign
        case And(parts) | Or(parts):
            for part in parts:
                yield from signed_atoms(part, sign)
        case Not(part):
            yield from signed_atoms(part, opposite)
        case AndNot(kept, dropped):
            yield from signed_atoms(kept, sign)
            yield from signed_atoms(dropped, opposite)


def atoms_of(expression: Expression) -> tuple[Atom, ...]:
    """Return the atoms from left to right."""
    return tuple(atom for atom, _ in signed_atoms(expression))


def scopes_of(expression: Expression) -> dict[str, tuple[int, ...]]:
    """Return for each operator in the expression the positions, from the left, of the atoms in its scope.

    For and, or: the joined atoms. For not: the negated atoms.
    """
    found: dict[str, set[int]] = {}

    def visit(node: Expression, start: int) -> int:
        match node:
            case Atom():
                return start + 1
            case And(parts) | Or(parts):
                end = start
                for part in parts:
                    end = visit(part, end)
                found.setdefault(AND.name if isinstance(node, And) else OR.name, set()).update(range(start, end))
                return end
            case Not(part):
                kept_end, end = start, visit(part, start)
            case AndNot(kept, dropped):
                kept_end = visit(kept, start)
                end = visit(dropped, kept_end)
        found.setdefault(NOT.name, set()).update(range(kept_end, end))
        return end

    visit(expression, 0)
    return {name: tuple(sorted(found[name])) for name in OPERATORS if name in found}


def without(expression: Expression, atoms: Collection[Atom]) -> Expression | None:
    """Return the expression without the given atoms, or None if nothing remains."""
    match expression:
        case Atom():
            return None if expression in atoms else expression
        case And(parts) | Or(parts):
            left = tuple(kept for part in parts if (kept := without(part, atoms)) is not None)
            return type(expression)(left) if len(left) > 1 else next(iter(left), None)
        case Not(part):
            denied = without(part, atoms)
            return None if denied is None else Not(denied)
        case AndNot(kept, dropped):
            remaining, denied = without(kept, atoms), without(dropped, atoms)
            if denied is None:
                return remaining
            return Not(denied) if remaining is None else AndNot(remaining, denied)
    assert_never(expression)


def positive_part(expression: Expression) -> Expression | None:
    """Return the expression without any "not ..."; None if nothing remains."""
    match expression:
        case Atom():
            return expression
        case And(parts) | Or(parts):
            left = tuple(kept for part in parts if (kept := positive_part(part)) is not None)
            return type(expression)(left) if len(left) > 1 else next(iter(left), None)
        case Not():
            return None
        case AndNot(kept):
            return positive_part(kept)
    assert_never(expression)


def expression_of(condition: PlanNode, atom_of: Callable[[str], Atom]) -> Expression:
    """Convert a plan's condition to an expression over a catalog, for ``Catalog.answers``.

    Args:
        condition: The condition.
        atom_of: Finds the catalog's atom for an atom's text.
    """
    match condition:
        case QueryAtom(text, _, sign):
            return atom_of(text) if sign == 1 else Not(atom_of(text))
        case AllOf(parts):
            return And(tuple(expression_of(part, atom_of) for part in parts))
        case AnyOf(parts):
            return Or(tuple(expression_of(part, atom_of) for part in parts))
    assert_never(condition)


def _check_parts(parts: tuple[Expression, ...]) -> None:
    if len(parts) < 2:
        raise ValueError(f"and, or need two or more parts, not {len(parts)}: use the part itself")


A, B, C, D = (Atom("slot", letter, letter, Phrases(noun=("{value}",))) for letter in "abcd")

QUEST_TEMPLATES: dict[str, Expression] = {
    "_": A,
    "_ or _": Or((A, B)),
    "_ or _ or _": Or((A, B, C)),
    "_ that are also _": And((A, B)),
    "_ that are also both _ and _": And((A, B, C)),
    "_ that are not _": AndNot(A, B),
    "_ that are also _ but not _": AndNot(And((A, B)), C),
}

NESTED_TEMPLATES: dict[str, Expression] = {
    "_ that are also (_ or _)": And((A, Or((B, C)))),
    "(_ or _) that are not _": AndNot(Or((A, B)), C),
    "_ that are not (_ or _)": AndNot(A, Or((B, C))),
    "_ that are not (_ that are also _)": AndNot(A, And((B, C))),
    "(_ that are also _) or _": Or((And((A, B)), C)),
    "(_ that are not _) or _": Or((AndNot(A, B), C)),
    "(_ that are also _) or (_ that are also _)": Or((And((A, B)), And((C, D)))),
    "_ that are also _ but not (_ or _)": AndNot(And((A, B)), Or((C, D))),
    "_ that are also (_ or _) but not _": AndNot(And((A, Or((B, C)))), D),
    "(_ that are also _ but not _) or _": Or((AndNot(And((A, B)), C), D)),
}

TEMPLATES = QUEST_TEMPLATES | NESTED_TEMPLATES
