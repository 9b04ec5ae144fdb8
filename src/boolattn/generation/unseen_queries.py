"""Queries to see whether a reader understands exclusions or knows some words for them.

``unseen_queries`` exclude in words the rules do not know; ``decoy_queries`` use such words and exclude nothing.
Training and validation draw from the training half of the wordings, test from the other: whatever is chosen by
validation is chosen without a look at the wordings of the test.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice

from boolattn.generation.catalog.catalog import Catalog
from boolattn.generation.catalog.splits import Split
from boolattn.generation.generator import GeneratedQuery, generate
from boolattn.generation.wordings import decoys, unseen_exclusions
from boolattn.generation.wordings.exclusions import EXCLUSIONS
from boolattn.generation.wordings.wording import Wording, exclusion_patterns, parse_wordings


def unseen_queries(catalog: Catalog, *, seed: int, split: Split) -> Iterator[GeneratedQuery]:
    """Yield queries without end that exclude in words the rules do not know; arguments as those of ``generate``."""
    return generate(
        catalog,
        seed=seed,
        split=split,
        templates=tuple(EXCLUSIONS),
        wordings=lambda template: unseen_wordings(template, split),
    )


def decoy_queries(catalog: Catalog, *, seed: int, split: Split) -> Iterator[GeneratedQuery]:
    """Yield queries without end for one atom, in words that elsewhere exclude; arguments as those of ``generate``."""
    wordings = decoy_wordings(catalog.heads[0], split)
    return generate(catalog, seed=seed, split=split, templates=("_",), wordings=lambda template: wordings)


def unseen_and_decoys(catalog: Catalog, count: int, seed: int) -> Iterator[Iterator[GeneratedQuery]]:
    """Yield so many training queries with exclusions that rules miss, and half as many decoys."""
    yield islice(unseen_queries(catalog, seed=seed, split="train"), count)
    yield islice(decoy_queries(catalog, seed=seed, split="train"), count // 2)


@cache
def unseen_wordings(template: str, split: Split) -> tuple[Wording, ...]:
    """Return the ways, unknown to the rules, to word a template of ``EXCLUSIONS`` in queries of a split."""
    half = unseen_exclusions.TESTING if split == "test" else unseen_exclusions.TRAINING
    return parse_wordings(exclusion_patterns(template, half.phrases), exclusion_patterns(template, half.sentences))


@cache
def decoy_wordings(head: str, split: Split) -> tuple[Wording, ...]:
    """Return the decoys for entities that go by this word in queries of a split."""
    half = decoys.TESTING if split == "test" else decoys.TRAINING
    return parse_wordings(half.phrases_of.get(head, ()), half.sentences)
