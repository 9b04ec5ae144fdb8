"""What a mechanism learns to read from: queries of which operators, cues and scopes are known, without answers."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from boolattn.data.quest import read_quest_queries
from boolattn.evaluation.benchmarks.generated import films_domain, first_pages, pages_domain
from boolattn.evaluation.tasks import DataFolder
from boolattn.generation.catalog.catalog import Catalog
from boolattn.generation.domains.phrases import phrases_catalog
from boolattn.generation.generator import GeneratedQuery, generate
from boolattn.generation.passages import passage_queries
from boolattn.generation.unseen_queries import harmless_queries, unusual_queries
from boolattn.training.examples import Example, Question, example_of_passages, example_of_quest, question_of_generated

_MARKED = re.compile(r"<mark>(.*?)</mark>")
QUEST_TIMES = 8  # how often each query that a person wrote comes up in an epoch


def reading_examples(data: DataFolder, seed: int) -> Iterator[Example]:
    """Yield QUEST's training queries, and generated ones over films, over what pages mention and over QUEST's atoms.

    Debian's packages are not among them: how well reading works in a domain never seen is measured there.
    """
    quest = list(read_quest_queries(data.path / "quest" / "train.jsonl", data.skip))
    for _ in range(QUEST_TIMES):
        yield from map(_only_read, map(example_of_quest, quest))
    atoms = sorted({atom for query in quest for atom in _MARKED.findall(query.original_query or "")})
    films, pages = films_domain(data).catalog, pages_domain(data).catalog
    drawn: Iterable[Iterator[GeneratedQuery]] = (
        islice(generate(films.slice("meaning"), seed=seed, split="train"), 2000),
        islice(generate(films.slice("names"), seed=seed, split="train"), 700),
        islice(generate(pages, seed=seed, split="train"), 2000),
        islice(generate(phrases_catalog(atoms, seed), seed=seed), 1500),
        *_told_apart(films.slice("meaning"), 1000, seed),
        *_told_apart(pages, 800, seed),
    )
    for atom in atoms:  # what one category is called, so as not to take it for two
        yield Example(Question(atom, frozenset(), {}, {}), ())
    for question in islice(passage_queries(first_pages(data), seed), 6000):
        yield _only_read(example_of_passages(question))
    for query in chain.from_iterable(drawn):
        yield Example(question_of_generated(query), ())


def _told_apart(catalog: Catalog, count: int, seed: int) -> Iterator[Iterator[GeneratedQuery]]:
    """Yield exclusions that rules miss, and the same words where they exclude nothing."""
    yield islice(unusual_queries(catalog, seed=seed, split="train"), count)
    yield islice(harmless_queries(catalog, seed=seed, split="train"), count // 2)


def _only_read(example: Example) -> Example:
    return Example(example.question, ())
