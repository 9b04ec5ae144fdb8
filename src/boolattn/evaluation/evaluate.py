"""A benchmark and a system -> what the system reached, and what it returned."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolattn.evaluation.labels import TokenCounts, gate_hits
from boolattn.evaluation.measures import PerQuery, Run, pairwise_accuracy, per_query, right_rank
from boolattn.evaluation.report import Report
from boolattn.evaluation.significance import Difference, grouped, means, paired_bootstrap
from boolattn.evaluation.systems import DenseRetriever, Reader, Retriever
from boolattn.evaluation.tasks import (
    GateTask,
    LabelledSentence,
    NegationTask,
    PairTask,
    ReadingTask,
    RetrievalTask,
    Task,
    WrongSystemError,
)
from boolattn.operators import NOT, OPERATORS
from boolattn.reading.spans import Span, token_labels

_WORD = re.compile(r"\w+|[^\w\s]")
DEPTH = 1000  # the deepest cutoff of any measure
ROUNDING = 1e-4  # of a unit vector's numbers: batches of other lengths change the last digits


class Outcome(NamedTuple):
    """What a system reached, query by query where that is meant, and its ranking where it ranked."""

    report: Report
    values: PerQuery
    run: Run | None


def evaluate(task: Task, system: Retriever | Reader) -> Outcome:
    """Let a system answer a benchmark."""
    if isinstance(task, RetrievalTask | PairTask):
        if not isinstance(system, Retriever):
            raise WrongSystemError(
                f"{task.name} ranks documents, which {system.name!r} does not: give a model, or 'bm25'"
            )
        if isinstance(system, DenseRetriever):
            system = system.over(task.documents_are)
        if isinstance(task, PairTask):
            return _pairs(task, system)
        return _beside_bare(task, system) if task.compare_with_bare else _retrieval(task, system)
    if not isinstance(system, Reader):
        raise WrongSystemError(
            f"{task.name} asks what a query says, which {system.name!r} does not tell: give 'rules' or a Boolean model "
            f"that finds operators by itself (a mechanism with gate='given' has to be told them)"
        )
    if isinstance(task, ReadingTask):
        return _reading(task, system)
    return _gate(task, system) if isinstance(task, GateTask) else _negation(task, system)


def compare(task: Task, first: Outcome, second: Outcome) -> dict[str, dict[str, Difference]]:
    """Tell by how much the first system is above the second: slice (or "all") -> measure -> paired bootstrap."""
    slice_of = task.slice_of if isinstance(task, RetrievalTask) else None
    ours, theirs = (
        {"all": outcome.values} if slice_of is None else grouped(outcome.values, slice_of)
        for outcome in (first, second)
    )
    return {
        part: {name: paired_bootstrap(by_query, theirs[part][name]) for name, by_query in values.items() if by_query}
        for part, values in ours.items()
    }


def _retrieval(task: RetrievalTask, system: Retriever) -> Outcome:
    run = system.rank(task.queries, task.documents(), DEPTH, task.document_tokens)
    values = per_query(task.measures, run, task.answers, task.negated)
    for measure, of_negated in per_query(task.negated_measures, run, task.negated).items():
        values[f"{measure} of negated"] = of_negated
    return Outcome(Report.of(task.name, system.name, values, task.template_of, task.slice_of), values, run)


def _beside_bare(task: RetrievalTask, system: Retriever) -> Outcome:
    """Measure a system beside the plain model it is made of: what do its changed vectors gain or cost?"""
    if not isinstance(system, DenseRetriever):
        raise WrongSystemError(f"{task.name} compares vectors, which {system.name!r} does not have: give a dense model")
    texts = list(task.queries.values())
    vectors, bare = system.query_vectors(texts), system.bare_query_vectors(texts)  # (Q, D)
    differs = np.abs(vectors - bare).max(axis=1) > ROUNDING * np.linalg.norm(bare, axis=1)
    changed = [query for query, differing in zip(task.queries, differs, strict=True) if differing]
    values: PerQuery = {}
    for suffix, each in (("", vectors), (", bare", bare)):
        run = system.rank_vectors(task.queries, each, task.documents(), DEPTH, task.document_tokens)
        found = per_query(task.measures, run, task.answers)
        values |= {f"{measure}{suffix}": by_query for measure, by_query in found.items()}
    of_changed = {
        f"{name}, changed queries": {query: value[query] for query in changed} for name, value in values.items()
    }
    report = Report.of(task.name, system.name, values, task.template_of)
    measures = {**report.measures, **means(of_changed), "queries": len(texts), "changed": len(changed)}
    return Outcome(replace(report, measures=measures), values, run=None)


def _pairs(task: PairTask, system: Retriever) -> Outcome:
    # Both documents of a pair are wanted, however deep they rank: all of the documents are.
    run = system.rank(task.queries, task.documents.items(), len(task.documents), task.document_tokens)
    right = right_rank(run, task.pairs)
    values = {"right rank": right}
    if task.rows is not None:
        values = {"pairwise accuracy": pairwise_accuracy(right, task.rows)}
    return Outcome(Report(task.name, system.name, means(values)), values, run=None)


def _gate(task: GateTask, system: Reader) -> Outcome:
    def labels(operators: frozenset[str]) -> list[bool]:
        return [name in operators for name in OPERATORS]

    gold = np.array([labels(task.operators[query]) for query in task.queries])  # (N, K)
    predicted = np.array([labels(system.operators(text)) for text in task.queries.values()])
    values = gate_hits(list(task.queries), gold, predicted)
    return Outcome(Report.of(task.name, system.name, values, task.template_of), values, run=None)


def _reading(task: ReadingTask, system: Reader) -> Outcome:
    texts = [text for text, _ in task.readings.values()]
    gold = [reading for _, reading in task.readings.values()]
    found = [system.read(text) for text in texts]
    gates = [np.array([[name in each.operators for name in OPERATORS] for each in some]) for some in (gold, found)]
    values = gate_hits(list(task.readings), *gates)
    measures: dict[str, float] = {}
    tokens = [[Span(*match.span()) for match in _WORD.finditer(text)] for text in texts]
    for kind in ("cues", "scopes"):
        labels = [
            [_operator_labels(*pair) for pair in zip(tokens, [getattr(each, kind) for each in some], strict=True)]
            for some in (gold, found)
        ]
        if any(each.any() for each in labels[0]):  # else nobody marked them
            measures |= TokenCounts.of(*labels).scores(kind.removesuffix("s"))
    report = Report.of(task.name, system.name, values, task.template_of)
    return Outcome(replace(report, measures={**report.measures, **measures}), values, run=None)


def _operator_labels(tokens: Sequence[Span], spans: Mapping[str, Sequence[Span]]) -> NDArray[np.bool_]:
    return np.array([token_labels(tokens, spans.get(name, ())) for name in OPERATORS], dtype=bool).T.reshape(-1, 3)


def _negation(task: NegationTask, system: Reader) -> Outcome:
    found = [system.negation(sentence.text) for sentence in task.sentences]
    measures: dict[str, float] = {}
    for kind, gold, predicted in (
        ("cue", [sentence.cues for sentence in task.sentences], [cues for cues, _ in found]),
        ("scope", [sentence.scopes for sentence in task.sentences], [scopes for _, scopes in found]),
    ):
        counts = TokenCounts.of(
            [_not_labels(*pair) for pair in zip(task.sentences, gold, strict=True)],
            [_not_labels(*pair) for pair in zip(task.sentences, predicted, strict=True)],
        )
        measures |= {name: value for name, value in counts.scores(kind).items() if "(" not in name}  # one operator only
    return Outcome(Report(task.name, system.name, measures), {}, run=None)


def _not_labels(sentence: LabelledSentence, spans: Sequence[Span]) -> NDArray[np.bool_]:
    labels = np.zeros((len(sentence.tokens), len(OPERATORS)), dtype=bool)
    labels[:, list(OPERATORS).index(NOT.name)] = token_labels(sentence.tokens, spans)
    return labels
