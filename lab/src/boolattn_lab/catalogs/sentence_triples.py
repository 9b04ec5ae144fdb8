"""Triples like SetBERT's generated set: a Boolean sentence, sentences that match it, and others that do not.

As in SetBERT, a sentence that matches "A but not B" describes an A that is not B, and one that does not match describes
an A that is B. Here, each describes an entity of the catalog, in enough detail to decide whether it matches.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from pyroaring import FrozenBitMap

from boolattn.operators import AND, NOT, OR
from boolattn_lab.catalogs.atoms import Atom
from boolattn_lab.catalogs.catalog import Catalog
from boolattn_lab.catalogs.expressions import atoms_of
from boolattn_lab.catalogs.generator import GeneratedQuery, generate
from boolattn_lab.catalogs.splits import Split, Splits
from boolattn_lab.catalogs.wordings.wording import choose_wording

TEMPLATES_OF: dict[str, tuple[str, ...]] = {
    AND.name: ("_ that are also _", "_ that are also both _ and _"),
    OR.name: ("_ or _", "_ or _ or _"),
    NOT.name: ("_ that are not _", "_ that are also _ but not _"),
}
"""The templates of each operator's file."""

# The template that describes this many attributes.
_DESCRIBING = {1: "_", 2: "_ that are also _", 3: "_ that are also both _ and _"}
_FRAMES = (("", ""), ("these are ", ""), ("a collection of ", ""), ("this is one of the ", ""))
_ATTEMPTS = 50
POSITIVES, NEGATIVES = 2, 3  # at most, for each gold sentence


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence about an entity, and the attributes it mentions."""

    text: str
    atoms: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class SentenceTriple:
    """A Boolean sentence with all its labels, sentences that match it, and sentences that do not."""

    gold: GeneratedQuery
    positives: tuple[Sentence, ...]
    negatives: tuple[Sentence, ...]


def generate_triples(
    catalog: Catalog,
    operator: str,
    *,
    seed: int,
    split: Split | None = None,
    splits: Splits | None = None,
) -> Iterator[SentenceTriple]:
    """Yield triples of one operator endlessly; the same arguments always give the same triples.

    Args:
        catalog: The catalog.
        operator: "and", "or" or "not".
        seed: Changes the triples.
        split: Only triples of this split; any if None.
        splits: How to split; ``Splits()`` by default.
    """
    if operator not in TEMPLATES_OF:
        raise ValueError(f"no operator {operator!r}; choose from {list(TEMPLATES_OF)}")
    splits = splits or Splits()
    unseen = {atom for atom in catalog.atoms if split in ("train", "validation") and splits.is_unseen(atom)}
    writer = _Writer(catalog, Random(f"{seed} {split} sentences"), unseen)
    golds = generate(catalog, seed=seed, split=split, splits=splits, templates=TEMPLATES_OF[operator])
    return (
        SentenceTriple(
            gold,
            writer.write_about(gold, [gold.answers], POSITIVES),
            writer.write_about(gold, _wrong_entities(catalog, gold), NEGATIVES),
        )
        for gold in golds
    )


def _wrong_entities(catalog: Catalog, gold: GeneratedQuery) -> list[FrozenBitMap]:
    """Return groups of entities that do not match the query, preferring those that match part of it."""
    touched = FrozenBitMap.union(*(catalog.members[atom] for atom in atoms_of(gold.expression))) - gold.answers
    return [group for group in (gold.near_misses, touched) if group] or [catalog.everything - gold.answers]


class _Writer:
    """Writes sentences about entities."""

    def __init__(self, catalog: Catalog, rng: Random, hidden: Collection[Atom]) -> None:
        self._catalog = catalog
        self._rng = rng
        self._hidden = hidden

    def write_about(self, gold: GeneratedQuery, groups: Sequence[FrozenBitMap], count: int) -> tuple[Sentence, ...]:
        """Write distinct sentences, each about an entity of one of the groups."""
        sentences: dict[str, Sentence] = {}
        for _ in range(_ATTEMPTS):
            group = self._rng.choice(groups)
            atoms = self._choose_atoms(group[self._rng.randrange(len(group))], atoms_of(gold.expression))
            if atoms:
                sentence = self._write(atoms)
                sentences.setdefault(sentence.text, sentence)
            if len(sentences) == count:
                break
        return tuple(sentences.values())

    def _choose_atoms(self, entity: int, deciding: Sequence[Atom]) -> list[Atom]:
        """Choose what to mention about an entity: everything that decides whether it matches, and perhaps more."""
        atoms = self._catalog.atoms_of(entity)
        chosen = [atom for atom in atoms if atom in deciding]
        others = [atom for atom in atoms if atom not in deciding and atom not in self._hidden]
        room = min(len(others), max(_DESCRIBING) - len(chosen))
        chosen += self._rng.sample(others, self._rng.randint(min(room, 1) if len(chosen) < 2 else 0, room))
        self._rng.shuffle(chosen)
        return chosen

    def _write(self, atoms: Sequence[Atom]) -> Sentence:
        wording = choose_wording(self._rng, _DESCRIBING[len(atoms)], atoms, noun_phrase=True)
        frame = self._rng.choice(_FRAMES)
        rendered = wording.render(atoms, self._rng.choice(self._catalog.heads), self._rng.choice, frame)
        return Sentence(rendered.text, tuple(atoms))
