"""Sample expressions over a catalog in which every atom matters."""

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from pyroaring import FrozenBitMap

from boolattn_lab.catalogs.atoms import Atom
from boolattn_lab.catalogs.catalog import Catalog
from boolattn_lab.catalogs.expressions import And, AndNot, Expression, Not, Or, atoms_of, evaluate, without
from boolattn_lab.catalogs.splits import Split, Splits

ATTEMPTS = 400
"""Number of draws before a template is skipped."""

SHARE_ALIKE = 0.7
"""The share of *or* lists whose atoms are all from one column: "comedies or westerns"."""

_REMEMBERED_SETS = 16384

Option = TypeVar("Option")


class Sampler:
    """Draws expressions of given shapes that have answers, and in which no atom is redundant.

    An atom that narrows others is drawn from those that match some of their entities, so that even rare names
    overlap.
    """

    def __init__(
        self,
        catalog: Catalog,
        rng: Random,
        split: Split | None,
        splits: Splits,
        minimum: int,
        maximum: int | None = None,
    ) -> None:
        """Prepare the atoms to draw from.

        Args:
            catalog: The source of the atoms.
            rng: The random generator for all draws.
            split: Only combinations of this split; None allows any.
            splits: How to split.
            minimum: Minimum number of answers, and of entities that every atom must add or remove.
            maximum: Maximum number of answers; None sets no limit.
        """
        if maximum is not None and maximum < minimum:
            raise ValueError(f"at most {maximum} answers, but at least {minimum}: raise the maximum")
        self._catalog = catalog
        self._rng = rng
        self._split = split
        self._splits = splits
        self._minimum = minimum
        self._everything = catalog.everything
        self._maximum = len(self._everything) if maximum is None else maximum
        self._unseen = {atom for atom in catalog.atoms if splits.is_unseen(atom)}
        self._is_drawable = np.array([split in (None, "test") or atom not in self._unseen for atom in catalog.atoms])
        self._starting = lru_cache(self._find_starting)
        self._narrowing = lru_cache(_REMEMBERED_SETS)(self._find_narrowing)
        if not self._starting(0):
            raise ValueError(f"no attribute has {minimum} entities or more: lower the minimum or use more rows")

    def sample(self, shape: Expression) -> tuple[Expression, FrozenBitMap] | None:
        """Return an expression of the shape and its answers, or None if none was found in ``ATTEMPTS`` draws."""
        wants_unseen = bool(self._unseen) and self._rng.random() < self._splits.unseen_queries
        for _ in range(ATTEMPTS):
            try:
                expression, answers = self._fill(shape)
            except _DeadEndError:
                continue
            if self._is_good(expression, answers, wants_unseen):
                return expression, answers
        return None

    def _fill(
        self, shape: Expression, within: FrozenBitMap | None = None, later: int = 0, column: str | None = None
    ) -> tuple[Expression, FrozenBitMap]:
        """Fill the slots of the shape with atoms.

        Args:
            shape: An expression over slots.
            within: Every atom must match some of these entities, but not all.
            later: Number of atoms that will still narrow this part's matches, which must suffice for all.
            column: The column to draw a single atom from; any if None.
        """
        match shape:
            case Atom():
                pools = self._starting(later) if within is None else self._narrowing(within, later)
                atom = self._pick(pools.get(column, ()) if column else self._pick(tuple(pools.values())))
                return atom, self._catalog.members[atom]
            case And(parts):
                joined: list[Expression] = []
                answers = self._everything
                for i, part in enumerate(parts, start=1):
                    expression, found = self._fill(part, within, later + len(parts) - i)
                    joined.append(expression)
                    answers = answers & found
                    within = found if within is None else within & found
                return And(tuple(joined)), answers
            case Or(parts):
                alike = self._rng.random() < SHARE_ALIKE
                choices: list[Expression] = []
                union = FrozenBitMap()
                for part in parts:
                    expression, found = self._fill(part, within, column=column)
                    choices.append(expression)
                    union = union | found
                    if alike and isinstance(expression, Atom):
                        column = expression.column
                return Or(tuple(choices)), union
            case Not(part):
                expression, found = self._fill(part, within)
                return Not(expression), self._everything - found
            case AndNot(kept, dropped):
                wanted, found = self._fill(kept, within, later + 1)
                unwanted, lost = self._fill(dropped, found if within is None else within & found)
                return AndNot(wanted, unwanted), found - lost

    def _pick(self, options: Sequence[Option]) -> Option:
        if not options:
            raise _DeadEndError
        return self._rng.choice(options)

    def _find_starting(self, later: int) -> dict[str, list[Atom]]:
        """Return, by column, the atoms that are large enough to start with."""
        sizes = np.array([len(self._catalog.members[atom]) for atom in self._catalog.atoms])
        return self._by_column(np.flatnonzero((sizes >= self._minimum * (later + 1)) & self._is_drawable))

    def _find_narrowing(self, within: FrozenBitMap, later: int) -> dict[str, list[Atom]]:
        """Return, by column, the atoms that match enough of the entities in ``within`` and exclude enough of them."""
        codes, counts = self._catalog.count_atoms(within)
        smallest, largest = self._minimum * (later + 1), len(within) - self._minimum
        return self._by_column(codes[(counts >= smallest) & (counts <= largest) & self._is_drawable[codes]])

    def _by_column(self, codes: NDArray[np.integer]) -> dict[str, list[Atom]]:
        pools: dict[str, list[Atom]] = {}
        for code in codes.tolist():
            atom = self._catalog.atoms[code]
            pools.setdefault(atom.column, []).append(atom)
        return pools

    def _is_good(self, expression: Expression, answers: FrozenBitMap, wants_unseen: bool) -> bool:
        atoms = atoms_of(expression)
        return (
            self._minimum <= len(answers) <= self._maximum
            and len(set(atoms)) == len(atoms)
            and self._is_of_split(atoms, wants_unseen)
            and all(self._matters(atom, expression, answers) for atom in atoms)
        )

    def _is_of_split(self, atoms: Sequence[Atom], wants_unseen: bool) -> bool:
        if self._split is None:
            return True
        if self._split == "test" and wants_unseen is self._unseen.isdisjoint(atoms):
            return False
        return self._splits.split_of(atoms) == self._split

    def _matters(self, atom: Atom, expression: Expression, answers: FrozenBitMap) -> bool:
        rest = without(expression, (atom,))
        others = self._everything if rest is None else evaluate(rest, self._catalog.members, self._everything)
        return others.symmetric_difference_cardinality(answers) >= self._minimum


class _DeadEndError(Exception):
    """No atom fits; draw again from the start."""
