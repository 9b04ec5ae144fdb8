"""QUEST: in full, if its corpus is available; in part, over other corpora; and its operators alone."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count

from boolattn.operators import NOT, OPERATORS
from boolattn.reading.caller import labelled_reading
from boolattn_lab.benchmarks.tasks import GateTask, ReadingTask, RetrievalTask
from boolattn_lab.catalogs.quest import quest_documents, quest_partial_documents, template_operators
from boolattn_lab.catalogs.quest_alignment import Alignment, align
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.quest import QuestQuery, read_quest_queries

FEWEST_ANSWERS = 3  # per query, in the partial corpus


def whole(data: DataFolder) -> RetrievalTask:
    """QUEST as published, over its own ``documents.jsonl``."""
    quest_documents(data)  # report a missing corpus before encoding
    task = _task("quest", _test_queries(data), lambda: quest_documents(data), answers_in=None)
    return replace(task, document_tokens=256)  # the paper's


def partial(data: DataFolder) -> RetrievalTask:
    """QUEST-partial: the test queries with at least three answers among films and Wikipedia introductions."""
    titles = {title for title, _ in quest_partial_documents(data)}
    return _task("quest-partial", _test_queries(data), lambda: quest_partial_documents(data), answers_in=titles)


def quarter(data: DataFolder) -> RetrievalTask:
    """QUEST-partial over its answers and every fourth of its other documents: a quarter of the encoding."""
    task = partial(data)
    wanted = frozenset().union(*task.answers.values())

    def documents() -> Iterator[tuple[str, str]]:
        others = count()
        return (each for each in quest_partial_documents(data) if each[0] in wanted or next(others) % 4 == 0)

    return replace(task, name="quest-partial-quarter", documents=documents)


def gate(data: DataFolder) -> GateTask:
    """The operators of QUEST's test queries, without those that are also in its training set."""
    trained_on = {query.query for query in read_quest_queries(data.path / "quest" / "train.jsonl", data.skip)}
    queries = {str(n): query for n, query in enumerate(_test_queries(data)) if query.query not in trained_on}
    return GateTask(
        "quest-gate",
        {key: query.query for key, query in queries.items()},
        {key: template_operators(query.template) for key, query in queries.items()},
        {key: query.template for key, query in queries.items()},
    )


def reading(data: DataFolder) -> ReadingTask:
    """The scopes of QUEST's validation queries whose annotations can be aligned; the test queries have none.

    Cues are not annotated, so not evaluated. No template has both *and* and *or*: either one joins everything wanted.
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
                for name in OPERATORS
            }
            readings[str(number)] = query.query, labelled_reading(query.query, operators, {}, scopes)
            template_of[str(number)] = query.template
    return ReadingTask("quest-reading", readings, template_of)


def _test_queries(data: DataFolder) -> Iterator[QuestQuery]:
    official, rebuilt = data.path / "quest" / "test.jsonl", data.path / "quest" / "test_reconstructed.jsonl"
    return read_quest_queries(official if official.exists() else rebuilt, data.skip)


def _task(
    name: str,
    queries: Iterable[QuestQuery],
    documents: Callable[[], Iterable[tuple[str, str]]],
    answers_in: set[str] | None,
) -> RetrievalTask:
    answers = {}
    kept = {}
    for number, query in enumerate(queries):
        found = set(query.docs) if answers_in is None else set(query.docs) & answers_in
        if answers_in is None or len(found) >= FEWEST_ANSWERS:
            kept[str(number)], answers[str(number)] = query, found
    if not kept:
        raise ValueError(f"no query of {name} has {FEWEST_ANSWERS} answers among its documents: check the data folder")
    return RetrievalTask(
        name,
        {key: query.query for key, query in kept.items()},
        documents,
        answers,
        template_of={key: query.template for key, query in kept.items()},
        operators={key: template_operators(query.template) for key, query in kept.items()},
        documents_are="things",
    )
