"""The reader's training sources by name: each is a function from a data folder to rows."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
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
from boolattn_lab.formats.hashed_labels import (
    LABELS,
    HashedLabels,
    digest,
    labelled_among,
    measures_only,
    read_hashed_labels,
    read_requests,
)
from boolattn_lab.formats.jsonl import Filled, read_jsonl
from boolattn_lab.formats.pairs import read_excluir_queries
from boolattn_lab.formats.query_labels import DETERMINERS, QueryLabels, locate, read_query_labels
from boolattn_lab.formats.quest import read_quest_queries
from boolattn_lab.paper.examples import Question, example_of_passages, example_of_quest, question_of_generated
from boolattn_lab.reader.rows import ANY_EXCLUSION, NO_TOPIC, QueryKind, ReaderRow

SEED = 0  # for generated queries; a recipe's seed changes which of them are used

_PREDICATED = re.compile(
    r"(?:that|which|who|and) (?:are|is|were|was|have|has|had|do|does|did)(?:n't| not| never)\b\W*(?:\w+\W+)?$"
)
_REQUESTED = re.compile(
    r"(?:other than|except(?: for)?|excluding|apart from|aside from|besides|mention|hold|skip|leave out|hate|dislike"
    r"|can't stand|\bno)\W*(?:the |any |those )?$"
)
# A capital may belong to a name: "The Office".
_DETERMINERS = re.compile(rf"^(?:(?:{'|'.join(DETERMINERS)})\s+(?=\w))*")
_ABOUT = re.compile(r"\babout $")
_PAGES = re.compile(r"(?:the )?(?:role|part|topic|subject) of|(?:pages|texts|things|articles|entries) (?:about|on)")


def real_labelled(data: DataFolder) -> Iterator[ReaderRow]:
    """Real queries labelled by hand."""
    return labelled_rows(data.path / "real-queries" / "labelled.jsonl", data)


def real_exclusions(data: DataFolder) -> Iterator[ReaderRow]:
    """The labelled real queries that exclude something: one in 700, and so repeated."""
    return (row for row in chain(real_labelled(data), _found_later(data)) if row.kinds == {"topic"})


def open_labelled(data: DataFolder) -> Iterator[ReaderRow]:
    """The labelled real queries whose source permits to train on them."""
    return map(_row_of, _firm(each.labels for each in _open(data, "labelled.jsonl")))


def open_exclusions(data: DataFolder) -> Iterator[ReaderRow]:
    """Those of them that exclude something."""
    return (row for row in open_labelled(data) if row.kinds == {"topic"})


def open_screened(data: DataFolder) -> Iterator[ReaderRow]:
    """The unlabelled real queries that pass the screen and whose source permits to train on them."""
    labelled, decided = {each.query for each in _open(data, "labelled.jsonl")}, _decided()
    for each in _open(data, "queries.jsonl.zst"):
        if each.query not in labelled and may_exclude(each.query) and digest(each.query) not in decided:
            yield ReaderRow(each.query, NO_TOPIC, ())


def open_plain(data: DataFolder) -> Iterator[ReaderRow]:
    """Those that do not pass it."""
    found = (each.query for each in _open(data, "queries.jsonl.zst") if not may_exclude(each.query))
    return (ReaderRow(query, frozenset(["none"]), ()) for query in found)


def search_boxes(data: DataFolder) -> Iterator[ReaderRow]:
    """Queries as people type them into a catalog's box, and into the box of a wiki or a support site."""
    return labelled_rows(LABELS / "search-boxes.jsonl", data)


def everyday(data: DataFolder) -> Iterator[ReaderRow]:
    """Queries as people type them into boxes, ask a person or ask the web, short ones above all."""
    return labelled_rows(LABELS / "everyday.jsonl", data)


def shop_esci(data: DataFolder) -> Iterator[ReaderRow]:
    """Real shop queries of Amazon's ESCI."""
    return labelled_rows(LABELS / "shop-esci.jsonl", data)


def requests(data: DataFolder) -> Iterator[ReaderRow]:
    """Titles of forums in which people ask for something, and a few shop searches; not those of ESCI-150, a test."""
    judgments = read_jsonl(data.path / "shop" / "esci-judgments.jsonl", _Query, data.skip)
    tested = {judged.query for judged in judgments}
    return map(_row_of, _firm(row for row in read_requests(data) if row.query not in tested))


def web_screened(data: DataFolder) -> Iterator[ReaderRow]:
    """Web queries that pass the screen, of one half: nearly none excludes anything."""
    return _half_screened(data.path / "web-queries" / "queries.jsonl.zst", data)


def shop_screened(data: DataFolder) -> Iterator[ReaderRow]:
    """Shop queries that pass the screen, of one half: every one was looked at, and none excludes anything."""
    return _half_screened(data.path / "shop" / "queries.jsonl.zst", data)


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
    over_films, pages = films_domain(data).catalog, pages_domain(data).catalog
    drawn: Iterable[Iterator[GeneratedQuery]] = (
        islice(generate(over_films.slice("meaning"), seed=SEED, split="train"), 2000),
        islice(generate(over_films.slice("names"), seed=SEED, split="train"), 700),
        *unseen_and_decoys(over_films.slice("meaning"), 1000, SEED),
        islice(generate(pages, seed=SEED, split="train"), 2000),
        islice(generate(phrases_catalog(atoms, SEED), seed=SEED), 1500),
        *unseen_and_decoys(pages, 800, SEED),
    )
    for question in islice(passage_queries(first_pages(data), SEED), 3000):
        yield _of_question(example_of_passages(question).question)
    for query in chain.from_iterable(drawn):
        yield _of_question(question_of_generated(query))


SOURCES: dict[str, Callable[[DataFolder], Iterator[ReaderRow]]] = {
    "real-labelled": real_labelled,
    "real-exclusions": real_exclusions,
    "real-screened": real_screened,
    "real-plain": real_plain,
    "open-labelled": open_labelled,
    "open-exclusions": open_exclusions,
    "open-screened": open_screened,
    "open-plain": open_plain,
    "search-boxes": search_boxes,
    "everyday": everyday,
    "shop-esci": shop_esci,
    "requests": requests,
    "web-screened": web_screened,
    "shop-screened": shop_screened,
    "wordings": wordings,
    "kinds": kinds,
    "handwritten": handwritten,
    "questions": questions,
    "excluir": excluir,
    "comlq": comlq,
    "quest": quest,
    "generated": generated,
}
OPEN = ("beir-hotpotqa/", "beir-nq/", "beir-cqadupstack-")
"""How the IDs of real queries begin whose source permits to train on them, with attribution."""
HELD_OUT = (
    *(f"{origin}-{part}" for origin in ("real", "open") for part in ("labelled", "exclusions", "screened", "plain")),
    *("search-boxes", "everyday", "shop-esci", "requests", "wordings", "kinds"),
)
"""The sources from which a fold is held out when the recipe is evaluated."""


class _Known(msgspec.Struct):
    """A real query with its origin."""

    id: str
    query: Filled
    excluded: tuple[Filled, ...] | None = None
    soft: bool = False

    @property
    def labels(self) -> QueryLabels:
        return QueryLabels(self.query, self.excluded, self.soft)


class _Query(msgspec.Struct):
    query: Filled


class _ComlqQuery(msgspec.Struct, rename={"number": "_id"}):
    number: str
    text: Filled
    type: str


def labelled_rows(path: Path, data: DataFolder) -> Iterator[ReaderRow]:
    """Read a label file; ambiguous rows are skipped."""
    return map(_row_of, _firm(read_query_labels(path, data.skip)))


def _firm(labels: Iterable[QueryLabels]) -> Iterator[QueryLabels]:
    return (each for each in labels if not each.soft)


def _row_of(labels: QueryLabels) -> ReaderRow:
    return ReaderRow(labels.query, _kinds_of(labels), _excluded(labels))


def _kinds_of(labels: QueryLabels) -> frozenset[QueryKind]:
    if labels.kind is not None:
        return frozenset([labels.kind])
    if labels.excluded:
        return frozenset(["topic"])
    return NO_TOPIC if may_exclude(labels.query) else frozenset(["none"])


def _excluded(labels: QueryLabels) -> tuple[Span, ...]:
    """Return where the excluded words are, without articles and the like in front: labels differ in these."""
    places = (locate(labels.query, text) for text in labels.excluded or ())
    found = (Span(*place) for place in places if place)
    return tuple(Span(span.start + len(_DETERMINERS.findall(span.of(labels.query))[0]), span.end) for span in found)


def _open(data: DataFolder, name: str) -> Iterator[_Known]:
    rows = read_jsonl(data.path / "real-queries" / name, _Known, data.skip)
    return (row for row in rows if row.id.startswith(OPEN))


def _half_screened(path: Path, data: DataFolder) -> Iterator[ReaderRow]:
    queries = dict.fromkeys(row.query for row in read_query_labels(path, data.skip))
    chosen = (query for query in queries if may_exclude(query) and not measures_only(query))
    return (ReaderRow(query, frozenset(["none"]), ()) for query in chosen)


def _unlabelled(data: DataFolder) -> Iterator[str]:
    folder = data.path / "real-queries"
    labelled = {row.query for row in read_query_labels(folder / "labelled.jsonl", data.skip)}
    queries = (row.query for row in read_query_labels(folder / "queries.jsonl.zst", data.skip))
    return (query for query in dict.fromkeys(queries) if query not in labelled)


def _decided() -> dict[str, HashedLabels]:
    return read_hashed_labels(LABELS / "real-queries.jsonl")


def _found_later(data: DataFolder) -> Iterator[ReaderRow]:
    return map(_row_of, _firm(labelled_among(_unlabelled(data), LABELS / "real-queries.jsonl")))


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
