"""Training sources by name: each is a function from a data folder to training data."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from boolattn.operators import NOT, OPERATORS
from boolattn_lab.catalogs.catalog import Domain
from boolattn_lab.catalogs.debian import debian_domain
from boolattn_lab.catalogs.expressions import TEMPLATES
from boolattn_lab.catalogs.films import films_domain
from boolattn_lab.catalogs.generator import generate
from boolattn_lab.catalogs.mentions import first_pages, pages_domain
from boolattn_lab.catalogs.passages import LONGEST_PAGE, passage_queries, sentences_of
from boolattn_lab.catalogs.quest import quest_documents, quest_partial_documents
from boolattn_lab.catalogs.sentence_triples import generate_triples
from boolattn_lab.catalogs.splits import Split
from boolattn_lab.formats.boolquestions import read_boolquestions, read_boolquestions_corpus
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.quest import read_quest_queries
from boolattn_lab.formats.records import Document
from boolattn_lab.formats.setbert import read_setbert_triples
from boolattn_lab.paper.examples import (
    Example,
    example_of_boolquestion,
    example_of_generated,
    example_of_passages,
    example_of_quest,
    example_of_sentences,
    examples_of_setbert,
)
from boolattn_lab.paper.reading_sources import reading_examples
from boolattn_lab.paper.recipes import DataSettings, RecipeError

GENERATED_QUERIES, GENERATED_VALIDATION = 4200, 700
GENERATED_TRIPLES = 2000
FEWEST_ANSWERS = 3  # per QUEST query over part of its corpus, as in the benchmark quest-partial
HELD_OUT = 10  # BoolQuestions has no validation set: every tenth question is held out


@dataclass(frozen=True)
class TrainingData:
    """The data of a run.

    Attributes:
        train: The examples.
        validation: Examples for choosing the best epoch.
        documents: ID -> text; None if examples contain their texts.
    """

    train: Sequence[Example]
    validation: Sequence[Example] = ()
    documents: dict[str, str] | None = None


def setbert(data: DataFolder, settings: DataSettings, seed: int) -> TrainingData:
    """SetBERT's generated sentences: ``setbert/and.jsonl``, ``or.jsonl`` and ``not.jsonl``."""
    files = {operator: data.path / "setbert" / f"{operator}.jsonl" for operator in OPERATORS}
    examples = (
        islice(examples_of_setbert(read_setbert_triples(path, data.skip), operator, seed), settings.queries)
        for operator, path in files.items()
    )
    return TrainingData(list(chain.from_iterable(examples)))


def film_sentences(data: DataFolder, settings: DataSettings, seed: int) -> TrainingData:
    """Triples like SetBERT's, generated over films."""
    return _sentences(films_domain(data), settings, seed)


def debian_sentences(data: DataFolder, settings: DataSettings, seed: int) -> TrainingData:
    """Triples like SetBERT's, generated over Debian packages."""
    return _sentences(debian_domain(data), settings, seed)


def films(data: DataFolder, settings: DataSettings, seed: int) -> TrainingData:
    """Queries generated over films."""
    return generated(films_domain(data), settings, seed)


def debian(data: DataFolder, settings: DataSettings, seed: int) -> TrainingData:
    """Queries generated over Debian packages."""
    return generated(debian_domain(data), settings, seed)


def films_pages_passages(data: DataFolder, settings: DataSettings, seed: int) -> TrainingData:
    """Equal numbers of queries over films by meaning, by names, over pages by mentions, and over pages' sentences."""
    parts = {
        "films": generated(films_domain(data), settings, seed, ("meaning", "names")),
        "pages": generated(pages_domain(data), settings, seed),
        "passages": _passages(first_pages(data), settings, seed),
    }
    return _joined([_renamed(part, name) for name, part in parts.items()])


def generated(domain: Domain, settings: DataSettings, seed: int, slices: Sequence[str] = ("meaning",)) -> TrainingData:
    """Generate queries over a catalog, with the recipe's number per slice."""
    catalogs = [domain.catalog.slice(part) for part in slices]
    templates = tuple(name for name in TEMPLATES if not settings.excluding or NOT.name in name.split())

    def draw(split: Split, count: int) -> list[Example]:
        return [
            example_of_generated(query, catalog)
            for catalog in catalogs
            for query in islice(
                generate(catalog, seed=seed, split=split, templates=templates, maximum=settings.maximum_answers), count
            )
        ]

    held_out = GENERATED_VALIDATION if settings.validation_queries is None else settings.validation_queries
    train, validation = draw("train", settings.queries or GENERATED_QUERIES), draw("validation", held_out)
    return TrainingData(train, validation, dict(domain.documents()))


def reading(data: DataFolder, settings: DataSettings, seed: int) -> TrainingData:
    """Queries of all kinds, without answers, for training a mechanism to read."""
    return TrainingData(list(islice(reading_examples(data, seed), settings.queries)))


def quest_whole(data: DataFolder, settings: DataSettings, seed: int) -> TrainingData:
    """QUEST as published: ``train.jsonl``, ``val.jsonl`` and ``documents.jsonl``."""
    return _quest(data, settings, dict(quest_documents(data)))


def quest_partial(data: DataFolder, settings: DataSettings, seed: int) -> TrainingData:
    """QUEST's queries over the films and Wikipedia introductions that are part of its corpus."""
    return _quest(data, settings, dict(quest_partial_documents(data)))


def films_quest(data: DataFolder, settings: DataSettings, seed: int) -> TrainingData:
    """Queries over films by meaning and by names, and QUEST's with at least three answers among films and pages.

    The documents are all films, and those pages that answer one of QUEST's queries.
    """
    films = _renamed(generated(films_domain(data), settings, seed, ("meaning", "names")), "films")
    quest = _quest(data, replace(settings, queries=None), dict(quest_partial_documents(data)), FEWEST_ANSWERS)
    assert films.documents is not None and quest.documents is not None
    answers = {each for example in (*quest.train, *quest.validation) for each in example.positives}
    pages = TrainingData(quest.train, quest.validation, {each: quest.documents[each] for each in sorted(answers)})
    known = {text: identifier for identifier, text in films.documents.items()}  # a film in both corpora is one document
    new = {each: known.get(text, f"quest:{each}") for each, text in (pages.documents or {}).items()}
    return _joined([films, _with_identifiers(pages, new)])


def boolquestions(data: DataFolder, settings: DataSettings, seed: int) -> TrainingData:
    """BoolQuestions' supplementary training set over MS MARCO: ``boolquestions/train.jsonl`` and the corpus."""
    folder = data.path / "boolquestions"
    questions = read_boolquestions("MSMARCO", folder / "train.jsonl", data.skip)
    passages = read_boolquestions_corpus("MSMARCO", str(folder), data.skip)
    documents = {passage.doc_id: f"{passage.title} {passage.text}".strip() for passage in passages}
    examples = list(_answerable(map(example_of_boolquestion, questions), documents))
    held_out = examples[::HELD_OUT]
    train = [example for number, example in enumerate(examples) if number % HELD_OUT]
    return _limited(train, held_out, documents, settings)


SOURCES: dict[str, Callable[[DataFolder, DataSettings, int], TrainingData]] = {
    "setbert": setbert,
    "film-sentences": film_sentences,
    "debian-sentences": debian_sentences,
    "films": films,
    "debian": debian,
    "quest": quest_whole,
    "quest-partial": quest_partial,
    "films-quest": films_quest,
    "boolquestions": boolquestions,
    "films-pages-passages": films_pages_passages,
    "reading": reading,
}
# Sources that cannot skip queries that exclude nothing.
WHOLE = (
    "setbert", "film-sentences", "debian-sentences", "quest", "quest-partial", "films-quest", "boolquestions", "reading"
)  # fmt: skip
# Sources with generated queries, whose number of answers can be limited.
GENERATED = ("films", "debian", "films-quest", "films-pages-passages")


def load_training_data(data: DataFolder, settings: DataSettings, seed: int) -> TrainingData:
    """Load the source of a recipe."""
    if settings.source not in SOURCES:
        raise RecipeError(f"[data] has no source {settings.source!r}; choose from {', '.join(SOURCES)}")
    if settings.excluding and settings.source in WHOLE:
        known = ", ".join(name for name in SOURCES if name not in WHOLE)
        raise RecipeError(
            f"[data] source {settings.source!r} cannot skip queries that exclude nothing: use excluding = false, or "
            f"one of {known}"
        )
    if settings.maximum_answers is not None and settings.source not in GENERATED:
        raise RecipeError(
            f"[data] maximum_answers limits generated queries, and source {settings.source!r} has none: remove it, or "
            f"use one of {', '.join(GENERATED)}"
        )
    try:
        return SOURCES[settings.source](data, settings, seed if settings.seed is None else settings.seed)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"{settings.source} needs {error.filename or error}: see 'The data folder' in lab/docs/training.md"
        ) from error


def _sentences(domain: Domain, settings: DataSettings, seed: int) -> TrainingData:
    catalog, count = domain.catalog.slice("meaning"), settings.queries or GENERATED_TRIPLES
    triples = (islice(generate_triples(catalog, operator, seed=seed, split="train"), count) for operator in OPERATORS)
    examples = map(example_of_sentences, chain.from_iterable(triples))
    return TrainingData([example for example in examples if example.positives and example.negatives])


def _passages(pages: list[Document], settings: DataSettings, seed: int) -> TrainingData:
    pages = [page for page in pages if len(page.text) < LONGEST_PAGE]
    examples = map(example_of_passages, passage_queries(pages, seed))
    train = list(islice((each for each in examples if each.unwanted or not settings.excluding), settings.queries))
    asked = {identifier.rpartition("#")[0] for each in train for identifier in each.positives}
    documents = {
        identifier: text for page in pages if page.title in asked for identifier, text in sentences_of(page).items()
    }
    return TrainingData(train, documents=documents)


def _renamed(part: TrainingData, name: str) -> TrainingData:
    """Prefix document IDs with a name, so that IDs of several corpora do not clash."""
    return _with_identifiers(part, {identifier: f"{name}:{identifier}" for identifier in part.documents or ()})


def _with_identifiers(part: TrainingData, new: Mapping[str, str]) -> TrainingData:
    def renamed(example: Example) -> Example:
        found, unwanted = (tuple(new[each] for each in ids) for ids in (example.positives, example.unwanted))
        return replace(example, positives=found, unwanted=unwanted)

    documents = {new[identifier]: text for identifier, text in (part.documents or {}).items()}
    return TrainingData(list(map(renamed, part.train)), list(map(renamed, part.validation)), documents)


def _joined(parts: Sequence[TrainingData]) -> TrainingData:
    documents = {identifier: text for part in parts for identifier, text in (part.documents or {}).items()}
    train, validation = (
        list(chain.from_iterable(each)) for each in zip(*((part.train, part.validation) for part in parts), strict=True)
    )
    return TrainingData(train, validation, documents)


def _quest(
    data: DataFolder, settings: DataSettings, documents: dict[str, str], fewest_answers: int = 1
) -> TrainingData:
    def examples(name: str) -> Iterator[Example]:
        return map(example_of_quest, read_quest_queries(data.path / "quest" / name, data.skip))

    train, held_out = (
        list(_answerable(examples(name), documents, fewest_answers)) for name in ("train.jsonl", "val.jsonl")
    )
    return _limited(train, held_out, documents, settings)


def _answerable(examples: Iterable[Example], documents: dict[str, str], fewest: int = 1) -> Iterator[Example]:
    """Drop answers that are not in the corpus, and queries that then have too few."""
    for example in examples:
        known = tuple(identifier for identifier in example.positives if identifier in documents)
        if len(known) >= fewest:
            yield Example(example.question, known)


def _limited(
    train: list[Example], validation: list[Example], documents: dict[str, str], settings: DataSettings
) -> TrainingData:
    return TrainingData(train[: settings.queries], validation[: settings.validation_queries], documents)
