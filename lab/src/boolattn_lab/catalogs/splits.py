"""Assign queries to training, validation and test by hashing, so that splits share no combination of attributes."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, TypeAlias

from boolattn_lab.catalogs.atoms import Atom

Split: TypeAlias = Literal["train", "validation", "test"]


@dataclass(frozen=True, slots=True)
class Splits:
    """Assigns every set of atoms, regardless of operators, to one split.

    Some values are excluded from training and validation entirely: any combination with one of them is test.
    Stateless, so it works for any number of queries, in any order, in any number of processes.

    Attributes:
        seed: Changes the splits. In a catalog with few values, hashing may hold out too few or too many of
            them: check with ``is_unseen``. The default holds out 5 of the 53 genres and decades of the films.
        validation: Share of the remaining combinations for validation.
        test: Share of the remaining combinations for test.
        unseen_values: Share of the values that occur only in test.
        unseen_queries: Share of generated test queries that contain such a value.
    """

    seed: int = 6
    validation: float = 0.1
    test: float = 0.1
    unseen_values: float = 0.1
    unseen_queries: float = 0.3

    def __post_init__(self) -> None:
        shares = (self.validation, self.test, self.validation + self.test, self.unseen_values, self.unseen_queries)
        if min(shares) < 0 or max(shares) > 1:
            raise ValueError(f"shares must be between 0 and 1, and so must validation plus test; got {self}")

    def is_unseen(self, atom: Atom) -> bool:
        """Whether the atom is excluded from training and validation."""
        return self._fraction("value", atom.column, atom.value) < self.unseen_values

    def split_of(self, atoms: Iterable[Atom]) -> Split:
        """Return the split of a set of atoms."""
        chosen = sorted({(atom.column, atom.value): atom for atom in atoms}.items())
        if any(self.is_unseen(atom) for _, atom in chosen):
            return "test"
        fraction = self._fraction("combination", *(word for key, _ in chosen for word in key))
        if fraction < self.test:
            return "test"
        return "validation" if fraction < self.test + self.validation else "train"

    def _fraction(self, *words: str) -> float:
        """Return a number from 0 to 1 that depends only on the seed and the words."""
        key = "\x1f".join((str(self.seed), *words)).encode()
        return int.from_bytes(blake2b(key, digest_size=8).digest()) / 2**64
