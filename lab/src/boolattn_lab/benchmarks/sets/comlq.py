"""ComLQ: logical queries over passages, whole and in two halves, by type."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from boolattn.operators import AND, NOT, OR
from boolattn.reading.rules.negations import negations
from boolattn_lab.benchmarks.measures import RANKING_MEASURES, Judgements, word_lsnc
from boolattn_lab.benchmarks.sets.public import beir_task
from boolattn_lab.benchmarks.tasks import RetrievalTask
from boolattn_lab.catalogs.word_matching import content_words
from boolattn_lab.formats.beir import ComlqQuery, read_comlq_queries
from boolattn_lab.formats.folder import DataFolder

Half = Literal["odd", "even"]

OPERATOR_OF = {"i": AND.name, "u": OR.name, "n": NOT.name}  # letters of a type: intersection, union, negation


def whole(data: DataFolder) -> RetrievalTask:
    """ComLQ as published, to compare with published figures."""
    return _task("comlq", data, half=None)


def test_half(data: DataFolder) -> RetrievalTask:
    """The queries with an odd ID, which were not used for training or for choosing settings."""
    return _task("comlq-test-half", data, "odd")


def validation_half(data: DataFolder) -> RetrievalTask:
    """The queries with an even ID, for choosing settings."""
    return _task("comlq-validation-half", data, "even")


def queries_by_negation(data: DataFolder, half: Half | None) -> dict[ComlqQuery, str]:
    """Return ComLQ's queries, all or one half, and whether each is negated."""
    return {
        query: "negated" if query.negated else "not negated"
        for query in read_comlq_queries(data.path / "comlq", data.skip)
        if half is None or int(query.query_id) % 2 == (half == "odd")
    }


def _task(name: str, data: DataFolder, half: Half | None) -> RetrievalTask:
    task = beir_task(name, data, "comlq", document_tokens=256)
    groups = {
        query: group for query, group in queries_by_negation(data, half).items() if query.query_id in task.queries
    }
    kept = [query.query_id for query in groups]
    types = {query.query_id: query.type.partition("_")[0] for query in groups}
    answers = {key: task.answers[key] for key in kept}
    return replace(
        task,
        queries={key: task.queries[key] for key in kept},
        answers=answers,
        measures=[*RANKING_MEASURES, word_lsnc @ 100],
        negated=_matching_negated([query for query in groups if query.negated], task.documents(), answers),
        template_of=types,
        slice_of={query.query_id: group for query, group in groups.items()},
        operators={
            key: frozenset(OPERATOR_OF[letter] for letter in kind if letter in OPERATOR_OF)
            for key, kind in types.items()
        },
    )


def _matching_negated(
    queries: Sequence[ComlqQuery], documents: Iterable[tuple[str, str]], answers: Judgements
) -> dict[str, set[str]]:
    """Find passages, other than answers, with all content words of a negated phrase, as found by the rules.

    ComLQ has no judgements of which passages match the negated part of a query.
    """
    phrases = {
        query.query_id: [
            {word.stem for word in content_words(negation.scope.of(query.text))} for negation in negations(query.text)
        ]
        for query in queries
    }
    needed = {stem for each in phrases.values() for stems in each for stem in stems}
    containing: dict[str, set[str]] = defaultdict(set)
    for identifier, text in documents:
        for word in content_words(text):
            if word.stem in needed:
                containing[word.stem].add(identifier)
    found = {
        key: set().union(*(set.intersection(*(containing[stem] for stem in stems)) for stems in each if stems))
        - set(map(str, answers[key]))
        for key, each in phrases.items()
    }
    return {key: matching for key, matching in found.items() if matching}
