"""Queries to see whether a reader understands exclusions or knows some words for them.

``unusual_queries`` exclude in words the rules do not know; ``harmless_queries`` hold such words and exclude nothing.
Training and validation draw from the training half of the wordings, test from the other: whatever is chosen by
validation is chosen without a look at the wordings of the test.
"""

from collections.abc import Iterator
from functools import cache

from boolattn.generation.catalog.catalog import Catalog
from boolattn.generation.catalog.splits import Split
from boolattn.generation.generator import GeneratedQuery, generate
from boolattn.generation.wordings import decoys as harmless_wordings
from boolattn.generation.wordings import unseen_exclusions as unusual_exclusions
from boolattn.generation.wordings.exclusions import EXCLUSIONS
from boolattn.generation.wordings.wording import Wording, exclusion_patterns, parse_wordings


def unusual_queries(catalog: Catalog, *, seed: int, split: Split) -> Iterator[GeneratedQuery]:
    """Yield queries without end that exclude something in an unusual way; arguments as those of ``generate``."""
    return generate(
        catalog,
        seed=seed,
        split=split,
        templates=tuple(EXCLUSIONS),
        wordings=lambda template: unusual_wordings(template, split),
    )


def harmless_queries(catalog: Catalog, *, seed: int, split: Split) -> Iterator[GeneratedQuery]:
    """Yield queries without end for one atom, in words that elsewhere exclude; arguments as those of ``generate``."""
    wordings = harmless_wordings_of(catalog.heads[0], split)
    return generate(catalog, seed=seed, split=split, templates=("_",), wordings=lambda template: wordings)


@cache
def unusual_wordings(template: str, split: Split) -> tuple[Wording, ...]:
    """Return the unusual ways to word a template of ``EXCLUSIONS`` in queries of a split."""
    half = unusual_exclusions.TESTING if split == "test" else unusual_exclusions.TRAINING
    return parse_wordings(exclusion_patterns(template, half.phrases), exclusion_patterns(template, half.sentences))


@cache
def harmless_wordings_of(head: str, split: Split) -> tuple[Wording, ...]:
    """Return the harmless wordings for entities that go by this word in queries of a split."""
    half = harmless_wordings.TESTING if split == "test" else harmless_wordings.TRAINING
    return parse_wordings(half.phrases_of.get(head, ()), half.sentences)
