"""Entities with attributes, and the exact answers to Boolean expressions over them."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyroaring import AbstractBitMap, BitMap, FrozenBitMap

from boolattn_lab.catalogs.atoms import Atom, Column
from boolattn_lab.catalogs.expressions import Expression, evaluate, positive_part

Row = tuple[str, Mapping[str, Iterable[str]]]
"""The ID of an entity, and its values by column."""


@dataclass(frozen=True, slots=True, eq=False)
class Catalog:
    """Entities, numbered in input order, and their attributes.

    Attributes:
        ids: The ID of every entity.
        heads: Plural nouns for the entities, the most common first.
        columns: Their attributes.
        atoms: All attributes that some entity has.
        members: The entities of every atom.
        atom_codes: The atoms of all entities, concatenated, as positions in ``atoms``.
        first_code: Where each entity starts in ``atom_codes``; the last number is the end.
    """

    ids: Sequence[str]
    heads: tuple[str, ...]
    columns: tuple[Column, ...]
    atoms: tuple[Atom, ...]
    members: Mapping[Atom, FrozenBitMap]
    atom_codes: NDArray[np.uint32]
    first_code: NDArray[np.int64]

    @property
    def everything(self) -> FrozenBitMap:
        """All entities."""
        return FrozenBitMap(range(len(self.ids)))

    def answers(self, expression: Expression) -> FrozenBitMap:
        """Return the entities that match the expression."""
        return evaluate(expression, self.members, self.everything)

    def near_misses(self, expression: Expression) -> FrozenBitMap:
        """Return the entities that a system ignoring every "not ..." would wrongly return."""
        kept = positive_part(expression)
        read_carelessly = self.everything if kept is None else self.answers(kept)
        return read_carelessly - self.answers(expression)

    def ids_of(self, entities: AbstractBitMap) -> Iterator[str]:
        """Yield the IDs of entities."""
        return (self.ids[entity] for entity in entities)

    def atom(self, column: str, value: str) -> Atom:
        """Return the atom of a value; raise if no entity has it."""
        described = {described.name: described for described in self.columns}
        if column not in described:
            raise KeyError(f"no column {column!r} in this catalog; it has: {', '.join(described)}")
        atom = described[column].atom(value)
        if atom not in self.members:
            raise KeyError(f"no entity has {value!r} in column {column!r}; check the spelling against catalog.atoms")
        return atom

    def count_atoms(self, entities: AbstractBitMap) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """Return the atoms of the entities, as positions in ``atoms``, and how many of the entities have each."""
        chosen = np.asarray(entities.to_array())
        starts, ends = self.first_code[chosen], self.first_code[chosen + 1]
        lengths = ends - starts
        # The codes of an entity are contiguous.
        positions = np.repeat(ends - np.cumsum(lengths), lengths) + np.arange(lengths.sum())
        codes = self.atom_codes[positions]
        if len(codes) < len(self.atoms):
            return np.unique(codes, return_counts=True)
        counts = np.bincount(codes)
        present = np.flatnonzero(counts)
        return present, counts[present]

    def atoms_of(self, entity: int) -> list[Atom]:
        """Return the atoms of an entity."""
        return [self.atoms[code] for code in self.atom_codes[self.first_code[entity] : self.first_code[entity + 1]]]

    def slice(self, name: str) -> "Catalog":
        """Return a catalog of the same entities with only the columns of one slice."""
        columns = tuple(column for column in self.columns if column.slice == name)
        if not columns:
            known = ", ".join(sorted({column.slice for column in self.columns}))
            raise ValueError(f"no column in slice {name!r}; slices of this catalog: {known}")
        kept_names = {column.name for column in columns}
        kept = np.array([atom.column in kept_names for atom in self.atoms], dtype=bool)
        atoms = tuple(atom for atom in self.atoms if atom.column in kept_names)
        kept_codes = kept[self.atom_codes]
        kept_before = np.concatenate(([0], np.cumsum(kept_codes)))
        return Catalog(
            self.ids,
            self.heads,
            columns,
            atoms,
            {atom: self.members[atom] for atom in atoms},
            (np.cumsum(kept) - 1).astype(np.uint32)[self.atom_codes[kept_codes]],
            kept_before[self.first_code],
        )


class Domain(NamedTuple):
    """A catalog, the documents of its entities, and whether these are things or pages."""

    catalog: Catalog
    documents: Callable[[], Iterable[tuple[str, str]]]
    documents_are: Literal["things", "pages"]


def build_catalog(rows: Iterable[Row], columns: Sequence[Column], heads: Sequence[str] = ("items",)) -> Catalog:
    """Build a catalog from an iterable of rows.

    Args:
        rows: IDs, which must be unique, and values by column; a row may lack columns.
        columns: The columns to use.
        heads: Plural nouns for the entities, the most common first.
    """
    ids: dict[str, int] = {}
    codes: dict[tuple[str, str], int] = {}
    atoms: list[Atom] = []
    members: list[BitMap] = []
    atom_codes, first_code = array("I"), array("q", [0])
    for entity, (identity, values_by_column) in enumerate(rows):
        if ids.setdefault(identity, entity) != entity:
            raise ValueError(f"row {entity + 1} has the ID {identity!r} of row {ids[identity] + 1}: IDs must be unique")
        for column in columns:
            for value in dict.fromkeys(values_by_column.get(column.name, ())):
                code = codes.setdefault((column.name, value), len(atoms))
                if code == len(atoms):
                    atoms.append(column.atom(value))
                    members.append(BitMap())
                members[code].add(entity)
                atom_codes.append(code)
        first_code.append(len(atom_codes))
    return Catalog(
        tuple(ids),
        tuple(heads),
        tuple(columns),
        tuple(atoms),
        {atom: FrozenBitMap(entities) for atom, entities in zip(atoms, members, strict=True)},
        np.frombuffer(atom_codes, np.uint32) if atom_codes else np.empty(0, np.uint32),
        np.frombuffer(first_code, np.int64),
    )


def field_of(record: Any, name: str) -> Any:
    """Return a field of a record, which can be an object or a mapping."""
    return record[name] if isinstance(record, Mapping) else getattr(record, name)
