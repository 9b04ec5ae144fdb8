"""Queries for training a mechanism to read: known operators, cues and scopes, without answers."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from boolattn_lab.catalogs.films import films_domain
from boolattn_lab.catalogs.generator import GeneratedQuery, generate
from boolattn_lab.catalogs.mentions import first_pages, pages_domain
from boolattn_lab.catalogs.passages import passage_queries
from boolattn_lab.catalogs.quest import phrases_catalog, quest_atoms
from boolattn_lab.catalogs.unseen_queries import unseen_and_decoys
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.quest import read_quest_queries
from boolattn_lab.paper.examples import Example, Question, example_of_passages, example_of_quest, question_of_generated

QUEST_TIMES = 8  # how often each query written by a person occurs per epoch


def reading_examples(data: DataFolder, seed: int) -> Iterator[Example]:
    """Yield QUEST's training queries, and generated ones over films, over what pages mention and over QUEST's atoms.

    Debian packages are not included: they measure how well reading works in an unseen domain.
    """
    quest = list(read_quest_queries(data.path / "quest" / "train.jsonl", data.skip))
    for _ in range(QUEST_TIMES):
        yield from map(_only_read, map(example_of_quest, quest))
    atoms = quest_atoms(quest)
    films, pages = films_domain(data).catalog, pages_domain(data).catalog
    drawn: Iterable[Iterator[GeneratedQuery]] = (
        islice(generate(films.slice("meaning"), seed=seed, split="train"), 2000),
        islice(generate(films.slice("names"), seed=seed, split="train"), 700),
        islice(generate(pages, seed=seed, split="train"), 2000),
        islice(generate(phrases_catalog(atoms, seed), seed=seed), 1500),
        *unseen_and_decoys(films.slice("meaning"), 1000, seed),
        *unseen_and_decoys(pages, 800, seed),
    )
    for atom in atoms:  # so that the name of one category is not read as two
        yield Example(Question(atom, frozenset(), {}, {}), ())
    for question in islice(passage_queries(first_pages(data), seed), 6000):
        yield _only_read(example_of_passages(question))
    for query in chain.from_iterable(drawn):
        yield Example(question_of_generated(query), ())


def _only_read(example: Example) -> Example:
    return Example(example.question, ())
