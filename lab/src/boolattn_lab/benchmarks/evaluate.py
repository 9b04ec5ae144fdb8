"""Run a system on a benchmark; return its results and its ranking."""

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolattn.backbones.dual_encoder import as_boolean
from boolattn.backbones.labelled_query import LabelledQuery
from boolattn.operators import NOT, OPERATORS
from boolattn.reading.spans import Span, token_labels
from boolattn_lab.benchmarks.beside_bare import beside_bare
from boolattn_lab.benchmarks.labels import TokenCounts, gate_hits
from boolattn_lab.benchmarks.measures import PerQuery, Run
from boolattn_lab.benchmarks.report import Report
from boolattn_lab.benchmarks.significance import Difference, grouped, means, paired_bootstrap
from boolattn_lab.benchmarks.systems import DenseRetriever, Reader, Retriever
from boolattn_lab.benchmarks.tasks import (
    GateTask,
    LabelledSentence,
    NegationTask,
    PairTask,
    ReadingTask,
    RetrievalTask,
    Task,
    WrongSystemError,
)

_WORD = re.compile(r"\w+|[^\w\s]")


class Outcome(NamedTuple):
    """A system's results, also per query if meaningful, and its run if it ranks documents."""

    report: Report
    values: PerQuery
    run: Run | None


def evaluate(task: Task, system: Retriever | Reader) -> Outcome:
    """Run a system on a benchmark; the report states which gate a Boolean model used."""
    gate = gate_used(task, system)
    outcome = _answer(task, system)
    dense = isinstance(system, DenseRetriever)
    tokens = task.document_tokens if dense and isinstance(task, RetrievalTask | PairTask) else None
    return outcome._replace(report=replace(outcome.report, gate=gate, document_tokens=tokens))


def gate_used(task: Task, system: Retriever | Reader, on_board: bool = False) -> str | None:
    """Return the source of a Boolean model's operators, see ``Report.gate``; warn if it differs from training.

    The board evaluates on several benchmarks and never gives operators, so its warnings give other advice.
    """
    model = as_boolean(system.queries) if isinstance(system, DenseRetriever) else None
    if model is None:
        return None
    encoding, gate = model.tower.encoding, "learned" if model.tower.has_learned_gate else "closed"
    if not isinstance(task, RetrievalTask | PairTask):  # the benchmark evaluates the gate itself
        return gate if encoding.reads else None
    labelled = [query for query in task.queries.values() if isinstance(query, LabelledQuery)]
    given = [query for query in labelled if query.reading is not None or not encoding.given_scopes]
    if len(given) == len(task.queries):
        return "given"
    if not encoding.reads:
        return None
    has_labels = isinstance(task, RetrievalTask) and task.operators
    advice = "use --given-operators" if has_labels else "this benchmark has no labelled operators to give"
    if on_board:
        advice = "the board does not give any; evaluate a single benchmark"
    if encoding.given_scopes:
        gate, problem = (
            "closed",
            "was trained with given scopes but gets none, so its mechanism does nothing: use a study",
        )
    elif gate == "closed":
        problem = f"gets no operators, so its mechanism does nothing: {advice}"
    elif encoding.trained_gates == "given":
        problem = f"was trained with given gates, but uses the learned gate of an earlier stage: {advice}"
    else:
        return gate
    warnings.warn(f"on {'the board' if on_board else task.name}, {system.name} {problem}", stacklevel=3)
    return gate


def _answer(task: Task, system: Retriever | Reader) -> Outcome:
    if isinstance(task, RetrievalTask | PairTask):
        if not isinstance(system, Retriever):
            raise WrongSystemError(
                f"{task.name} ranks documents, which {system.name!r} cannot do: use a model, or 'bm25'"
            )
        if isinstance(task, RetrievalTask) and task.compare_with_bare:
            return _harm(task, system)
        return _ranking(task, system.over(task.documents_are) if isinstance(system, DenseRetriever) else system)
    if not isinstance(system, Reader):
        raise WrongSystemError(
            f"{task.name} evaluates reading, which {system.name!r} cannot do: use 'rules' or a Boolean model "
            f"that finds operators itself (a mechanism with gate='given' cannot)"
        )
    if isinstance(task, ReadingTask):
        return _reading(task, system)
    return _gate(task, system) if isinstance(task, GateTask) else _negation(task, system)


def compare(task: Task, first: Outcome, second: Outcome) -> dict[str, dict[str, Difference]]:
    """Return the first system's advantage over the second: slice (or "all") -> measure -> paired bootstrap."""
    slice_of = task.slice_of if isinstance(task, RetrievalTask) else None
    ours, theirs = (
        {"all": outcome.values} if slice_of is None else grouped(outcome.values, slice_of)
        for outcome in (first, second)
    )
    return {
        part: {name: paired_bootstrap(by_query, theirs[part][name]) for name, by_query in values.items() if by_query}
        for part, values in ours.items()
    }


def _ranking(task: RetrievalTask | PairTask, system: Retriever) -> Outcome:
    run = system.rank(task.queries, task.corpus(), task.depth, task.document_tokens)
    values = task.values(run)
    if isinstance(task, PairTask):
        return Outcome(Report(task.name, system.name, means(values)), values, run=None)
    return Outcome(Report.of(task.name, system.name, values, task.template_of, task.slice_of), values, run)


def _harm(task: RetrievalTask, system: Retriever) -> Outcome:
    """Compare a system with its plain model on queries that exclude nothing."""
    found = beside_bare(task, system)
    values = found.acting | {f"{measure}, bare": by_query for measure, by_query in found.bare.items()}
    of_changed = {
        f"{name}, changed queries": {query: value[query] for query in found.changed} for name, value in values.items()
    }
    report = Report.of(task.name, system.name, values, task.template_of)
    counts = {"queries": len(task.queries), "changed": len(found.changed), "changed hits": len(found.changed_hits)}
    return Outcome(replace(report, measures={**report.measures, **means(of_changed), **counts}), values, run=None)


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
        if any(each.any() for each in labels[0]):  # otherwise they are not labelled
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
