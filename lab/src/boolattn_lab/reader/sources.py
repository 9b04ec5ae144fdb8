"""The reader's training sources by name: each is a function from a data folder to rows."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from importlib.resources import files
from itertools import chain, islice
from pathlib import Path

import msgspec

from boolattn.operators import AND, NOT, OR
from boolattn.reading.screen import may_exclude
from boolattn.reading.spans import Span
from boolattn_lab.catalogs.films import films_domain
from boolattn_lab.catalogs.generator import GeneratedQuery, generate
from boolattn_lab.catalogs.mentions import first_pages, pages_domain
from boolattn_lab.catalogs.passages import passage_queries
from boolattn_lab.catalogs.quest import phrases_catalog, quest_atoms
from boolattn_lab.catalogs.unseen_queries import unseen_and_decoys
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.jsonl import Filled, read_jsonl
from boolattn_lab.formats.pairs import read_excluir_queries
from boolattn_lab.formats.query_labels import QueryLabels, locate, read_query_labels
from boolattn_lab.formats.quest import read_quest_queries
from boolattn_lab.paper.examples import Question, example_of_passages, example_of_quest, question_of_generated
from boolattn_lab.reader.rows import ANY_EXCLUSION, NO_TOPIC, QueryKind, ReaderRow, digest

LABELS = Path(str(files("boolattn_lab.reader").joinpath("labels")))
SEED = 0  # for generated queries; a recipe's seed changes which of them are used

_PREDICATED = re.compile(
    r"(?:that|which|who|and) (?:are|is|were|was|have|has|had|do|does|did)(?:n't| not| never)\b\W*(?:\w+\W+)?$"
)
_REQUESTED = re.compile(
    r"(?:other than|except(?: for)?|excluding|apart from|aside from|besides|mention|hold|skip|leave out|hate|dislike"
    r"|can't stand|\bno)\W*(?:the |any |those )?$"
)
_ABOUT = re.compile(r"\babout $")
_PAGES = re.compile(r"(?:the )?(?:role|part|topic|subject) of|(?:pages|texts|things|articles|entries) (?:about|on)")


def real_labelled(data: DataFolder) -> Iterator[ReaderRow]:
    """Real queries labelled by hand."""
    return labelled_rows(data.path / "real-queries" / "labelled.jsonl", data)


def real_exclusions(data: DataFolder) -> Iterator[ReaderRow]:
    """The labelled real queries that exclude something: one in 700, and so repeated."""
    return (row for row in chain(real_labelled(data), _found_later(data)) if row.kinds == {"topic"})


def real_screened(data: DataFolder) -> Iterator[ReaderRow]:
    """The other real queries that pass the screen, except those found to be mislabelled by default.

    They count as excluding no topic; those that a first model disagreed with were inspected, see
    ``labels/real-queries.jsonl``.
    """
    decided = _decided()
    for query in _unlabelled(data):
        if may_exclude(query) and digest(query) not in decided:
            yield ReaderRow(query, NO_TOPIC, ())


def real_plain(data: DataFolder) -> Iterator[ReaderRow]:
    """The real queries that do not pass the screen."""
    return (ReaderRow(query, frozenset(["none"]), ()) for query in _unlabelled(data) if not may_exclude(query))


def wordings(data: DataFolder) -> Iterator[ReaderRow]:
    """Realistic queries in many wordings, labelled for pages."""
    return chain.from_iterable(labelled_rows(LABELS / name, data) for name in ("wordings.jsonl", "wordings-dev.jsonl"))


def kinds(data: DataFolder) -> Iterator[ReaderRow]:
    """Realistic queries labelled by kind."""
    return labelled_rows(LABELS / "kinds.jsonl", data)


def handwritten(data: DataFolder) -> Iterator[ReaderRow]:
    """Queries labelled by kind, written by a language model: questions, keywords, chat, other languages, code."""
    return labelled_rows(LABELS / "handwritten.jsonl", data)


def questions(data: DataFolder) -> Iterator[ReaderRow]:
    """Questions and short product queries, most of which exclude a topic."""
    return labelled_rows(LABELS / "questions.jsonl", data)


def excluir(data: DataFolder) -> Iterator[ReaderRow]:
    """ExcluIR's queries, except those of its test pairs and rewrites that no longer exclude anything."""
    tested = {row.query for row in read_jsonl(data.path / "excluir-pairs" / "pairs_1000.jsonl", _Query, data.skip)}
    queries = (row.query for row in read_excluir_queries(data.path / "excluir" / "test_manual_final.json", data.skip))
    for query in dict.fromkeys(queries):
        if query not in tested and may_exclude(query):
            yield ReaderRow(query, frozenset(["topic"]))


def comlq(data: DataFolder) -> Iterator[ReaderRow]:
    """ComLQ's queries with an even ID: negated ones exclude a property, others nothing."""
    for row in read_jsonl(data.path / "comlq" / "queries.jsonl", _ComlqQuery, data.skip):
        if int(row.number) % 2 == 0:
            kind: QueryKind = "property" if "n" in row.type and may_exclude(row.text) else "none"
            yield ReaderRow(row.text, frozenset([kind]))


def quest(data: DataFolder) -> Iterator[ReaderRow]:
    """QUEST's training queries."""
    for query in read_quest_queries(data.path / "quest" / "train.jsonl", data.skip):
        yield _of_question(example_of_quest(query).question)


def generated(data: DataFolder) -> Iterator[ReaderRow]:
    """Queries over films, over what pages mention and over QUEST's atoms, and those atoms alone.

    Debian packages are not used: they measure how well a reader does in an unseen domain.
    """
    atoms = quest_atoms(read_quest_queries(data.path / "quest" / "train.jsonl", data.skip))
    for atom in atoms:  # so that the name of one category is not read as two
        yield ReaderRow(atom, frozenset(["none"]), (), {AND.name: False, OR.name: False}, {}, {})
    pages = pages_domain(data).catalog
    drawn: Iterable[Iterator[GeneratedQuery]] = (
        *_over_films(data),
        islice(generate(pages, seed=SEED, split="train"), 2000),
        islice(generate(phrases_catalog(atoms, SEED), seed=SEED), 1500),
        *unseen_and_decoys(pages, 800, SEED),
    )
    for question in islice(passage_queries(first_pages(data), SEED), 3000):
        yield _of_question(example_of_passages(question).question)
    for query in chain.from_iterable(drawn):
        yield _of_question(question_of_generated(query))


def films(data: DataFolder) -> Iterator[ReaderRow]:
    """Queries over films only, whose licence allows redistribution."""
    for query in chain.from_iterable(_over_films(data)):
        yield _of_question(question_of_generated(query))


SOURCES: dict[str, Callable[[DataFolder], Iterator[ReaderRow]]] = {
    "real-labelled": real_labelled,
    "real-exclusions": real_exclusions,
    "real-screened": real_screened,
    "real-plain": real_plain,
    "wordings": wordings,
    "kinds": kinds,
    "handwritten": handwritten,
    "questions": questions,
    "excluir": excluir,
    "comlq": comlq,
    "quest": quest,
    "generated": generated,
    "films": films,
}
HELD_OUT = ("real-labelled", "real-exclusions", "real-screened", "real-plain", "wordings", "kinds")
"""The sources from which a fold is held out when the recipe is evaluated."""


class _Query(msgspec.Struct):
    query: Filled


class _ComlqQuery(msgspec.Struct, rename={"number": "_id"}):
    number: str
    text: Filled
    type: str


class _Decision(msgspec.Struct):
    """A label of a real query that may not be redistributed; ``excluded`` has character ranges."""

    sha256: str
    kind: QueryKind
    excluded: list[tuple[int, int]] = []
    soft: bool = False


def labelled_rows(path: Path, data: DataFolder) -> Iterator[ReaderRow]:
    """Read a label file; ambiguous rows are skipped."""
    for labels in read_query_labels(path, data.skip):
        if not labels.soft:
            yield ReaderRow(labels.query, _kinds_of(labels), _excluded(labels))


def _kinds_of(labels: QueryLabels) -> frozenset[QueryKind]:
    if labels.kind is not None:
        return frozenset([labels.kind])
    if labels.excluded:
        return frozenset(["topic"])
    return NO_TOPIC if may_exclude(labels.query) else frozenset(["none"])


def _excluded(labels: QueryLabels) -> tuple[Span, ...]:
    places = (locate(labels.query, text) for text in labels.excluded or ())
    return tuple(Span(*place) for place in places if place)


def _unlabelled(data: DataFolder) -> Iterator[str]:
    folder = data.path / "real-queries"
    labelled = {row.query for row in read_query_labels(folder / "labelled.jsonl", data.skip)}
    queries = (row.query for row in read_query_labels(folder / "queries.jsonl.zst", data.skip))
    return (query for query in dict.fromkeys(queries) if query not in labelled)


def _decided() -> dict[str, _Decision]:
    return {row.sha256: row for row in read_jsonl(LABELS / "real-queries.jsonl", _Decision)}


def _found_later(data: DataFolder) -> Iterator[ReaderRow]:
    decided = _decided()
    for query in _unlabelled(data):
        decision = decided.get(digest(query))
        if decision is not None and not decision.soft:
            spans = tuple(Span(*each) for each in decision.excluded)
            yield ReaderRow(query, frozenset([decision.kind]), spans)


def _over_films(data: DataFolder) -> Iterator[Iterator[GeneratedQuery]]:
    catalog = films_domain(data).catalog
    yield islice(generate(catalog.slice("meaning"), seed=SEED, split="train"), 2000)
    yield islice(generate(catalog.slice("names"), seed=SEED, split="train"), 700)
    yield from unseen_and_decoys(catalog.slice("meaning"), 1000, SEED)


def _of_question(question: Question) -> ReaderRow:
    operators = {name: name in question.operators for name in (AND.name, OR.name) if name not in question.unsure}
    row = ReaderRow(question.text, frozenset(["none"]), None, operators, question.cues, question.scopes)
    if question.scopes is not None:
        row = replace(row, excluded=question.scopes.get(NOT.name, ()))
    return replace(row, kinds=_kind_by_wording(row)) if NOT.name in question.operators else row


def _kind_by_wording(row: ReaderRow) -> frozenset[QueryKind]:
    """Return the kind of a catalog's exclusion from the words before it, if they decide it."""
    found: set[QueryKind] = set()
    for span in row.excluded or ():
        before = row.query[: span.start].lower()
        if _ABOUT.search(before) or _PAGES.match(span.of(row.query).lower()) or _REQUESTED.search(before):
            found.add("topic")
        elif _PREDICATED.search(before):
            found.add("property")
        else:
            return ANY_EXCLUSION
    return frozenset(found) or ANY_EXCLUSION
