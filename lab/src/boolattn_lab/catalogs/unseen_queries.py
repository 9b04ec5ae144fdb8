"""Queries that test whether a reader understands exclusions or only knows some words for them.

``unseen_queries`` express exclusions in wordings that the rules do not know; ``decoy_queries`` use such words but
exclude nothing. Training and validation use the training half of the wordings and test the other half, so that no
setting is chosen with knowledge of the test wordings.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice

from boolattn_lab.catalogs.catalog import Catalog
from boolattn_lab.catalogs.generator import GeneratedQuery, generate
from boolattn_lab.catalogs.splits import Split
from boolattn_lab.catalogs.wordings import decoys, unseen_exclusions
from boolattn_lab.catalogs.wordings.exclusions import EXCLUSIONS
from boolattn_lab.catalogs.wordings.wording import Wording, exclusion_patterns, parse_wordings


def unseen_queries(catalog: Catalog, *, seed: int, split: Split) -> Iterator[GeneratedQuery]:
    """Yield queries endlessly, with exclusions in wordings that the rules do not know; see ``generate``."""
    return generate(
        catalog,
        seed=seed,
        split=split,
        templates=tuple(EXCLUSIONS),
        wordings=lambda template: unseen_wordings(template, split),
    )


def decoy_queries(catalog: Catalog, *, seed: int, split: Split) -> Iterator[GeneratedQuery]:
    """Yield queries for one atom endlessly, with words that exclude in other queries; see ``generate``."""
    wordings = decoy_wordings(catalog.heads[0], split)
    return generate(catalog, seed=seed, split=split, templates=("_",), wordings=lambda template: wordings)


def unseen_and_decoys(catalog: Catalog, count: int, seed: int) -> Iterator[Iterator[GeneratedQuery]]:
    """Yield the given number of training queries with exclusions that rules miss, and half as many decoys."""
    yield islice(unseen_queries(catalog, seed=seed, split="train"), count)
    yield islice(decoy_queries(catalog, seed=seed, split="train"), count // 2)


@cache
def unseen_wordings(template: str, split: Split) -> tuple[Wording, ...]:
    """Return a split's wordings, unknown to the rules, of a template of ``EXCLUSIONS``."""
    half = unseen_exclusions.TESTING if split == "test" else unseen_exclusions.TRAINING
    return parse_wordings(exclusion_patterns(template, half.phrases), exclusion_patterns(template, half.sentences))


@cache
def decoy_wordings(head: str, split: Split) -> tuple[Wording, ...]:
    """Return a split's decoy wordings for entities with this head word."""
    half = decoys.TESTING if split == "test" else decoys.TRAINING
    return parse_wordings(half.phrases_of.get(head, ()), half.sentences)
