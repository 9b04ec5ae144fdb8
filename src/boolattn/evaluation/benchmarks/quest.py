"""QUEST: whole, where its corpus is given; in part, over what other corpora hold; and its operators alone."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from urllib.parse import unquote

from boolattn.data.films import read_films
from boolattn.data.pages import read_pages
from boolattn.data.quest import QuestQuery, read_quest_queries
from boolattn.data.records import Document
from boolattn.evaluation.tasks import DataFolder, GateTask, ReadingTask, RetrievalTask
from boolattn.generation.quest_alignment import Alignment, align
from boolattn.operators import AND, NOT, OR
from boolattn.reading.caller import labelled_reading

FEWEST_ANSWERS = 3  # of a query, in the partial corpus

# How QUEST's seven templates say which operators a query holds.
_SAID_BY = {AND.name: "also", OR.name: " or ", NOT.name: "not"}


def template_operators(template: str) -> frozenset[str]:
    """Return the operators of a QUEST template."""
    return frozenset(name for name, said in _SAID_BY.items() if said in template)


def whole(data: DataFolder) -> RetrievalTask:
    """QUEST as published, over its own ``documents.jsonl``."""
    corpus = data.path / "quest" / "documents.jsonl"
    corpus.stat()  # missing, it must be noticed before anything is encoded
    return _task("quest", _test_queries(data), lambda: read_pages(corpus, data.skip), answers_in=None)


def partial(data: DataFolder) -> RetrievalTask:
    """QUEST-partial: the test queries with at least three answers among films and Wikipedia introductions."""

    def documents() -> Iterator[Document]:
        return _first_of_each_title(
            chain(_films(data), read_pages(data.path / "wiki-intros" / "wiki_intros.jsonl.zst", data.skip))
        )

    titles = {document.doc_id for document in documents()}
    return _task("quest-partial", _test_queries(data), documents, answers_in=titles)


def gate(data: DataFolder) -> GateTask:
    """The operators of QUEST's test queries, those also in its training set left out."""
    trained_on = {query.query for query in read_quest_queries(data.path / "quest" / "train.jsonl", data.skip)}
    queries = {str(n): query for n, query in enumerate(_test_queries(data)) if query.query not in trained_on}
    return GateTask(
        "quest-gate",
        {key: query.query for key, query in queries.items()},
        {key: template_operators(query.template) for key, query in queries.items()},
        {key: query.template for key, query in queries.items()},
    )


def reading(data: DataFolder) -> ReadingTask:
    """The scopes of QUEST's validation queries, where its marks can be aligned; the test queries have no marks.

    Cues are nowhere marked and not asked for. No template holds both *and* and *or*: either joins all that is wanted.
    """
    readings, template_of = {}, {}
    for number, query in enumerate(read_quest_queries(data.path / "quest" / "val.jsonl", data.skip)):
        operators = template_operators(query.template)
        found = align(query.query, query.original_query) if query.original_query and operators else None
        if not operators or isinstance(found, Alignment):
            atoms = found.atoms if isinstance(found, Alignment) else ()
            scopes = {
                name: tuple(span for atom in atoms if atom.negated is (name == NOT.name) for span in atom.spans)
                if name in operators
                else ()
                for name in _SAID_BY
            }
            readings[str(number)] = query.query, labelled_reading(query.query, operators, {}, scopes)
            template_of[str(number)] = query.template
    return ReadingTask("quest-reading", readings, template_of)


def _test_queries(data: DataFolder) -> Iterator[QuestQuery]:
    official, rebuilt = data.path / "quest" / "test.jsonl", data.path / "quest" / "test_reconstructed.jsonl"
    return read_quest_queries(official if official.exists() else rebuilt, data.skip)


def _task(
    name: str, queries: Iterable[QuestQuery], documents: Callable[[], Iterable[Document]], answers_in: set[str] | None
) -> RetrievalTask:
    answers = {}
    kept = {}
    for number, query in enumerate(queries):
        found = set(query.docs) if answers_in is None else set(query.docs) & answers_in
        if answers_in is None or len(found) >= FEWEST_ANSWERS:
            kept[str(number)], answers[str(number)] = query, found
    return RetrievalTask(
        name,
        {key: query.query for key, query in kept.items()},
        lambda: ((document.doc_id, f"{document.title}. {document.text}") for document in documents()),
        answers,
        template_of={key: query.template for key, query in kept.items()},
        operators={key: template_operators(query.template) for key, query in kept.items()},
        documents_are="things",
    )


def _films(data: DataFolder) -> Iterator[Document]:
    for film in read_films(data.path / "films" / "films.jsonl.zst", data.skip):
        if film.href and film.extract:
            title = unquote(film.href).replace("_", " ")  # as Wikipedia, and so QUEST, tells films of one name apart
            yield Document(title, film.title, film.extract)


def _first_of_each_title(documents: Iterable[Document]) -> Iterator[Document]:
    seen: set[str] = set()
    for document in documents:
        if document.doc_id not in seen:
            seen.add(document.doc_id)
            yield document
