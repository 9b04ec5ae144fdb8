"""A catalog of bare noun phrases: to learn to read queries about any subject, not to find anything."""

from collections.abc import Collection
from random import Random

from boolattn.generation.catalog.atoms import Column, Phrases
from boolattn.generation.catalog.catalog import Catalog, build_catalog

_COLUMN = Column("phrase", Phrases(noun=("{value}",), are=("{value}",)))
_ENTITIES = 200  # nobody knows them; each has half of the phrases, so that any few phrases meet


def phrases_catalog(phrases: Collection[str], seed: int) -> Catalog:
    """Build a catalog in which every phrase can be combined with every other."""
    known = sorted(set(phrases))
    rng = Random(f"{seed} phrases")
    rows = ((str(number), {"phrase": rng.sample(known, len(known) // 2)}) for number in range(_ENTITIES))
    return build_catalog(rows, [_COLUMN])
