"""Ranking measures in the notation of ir_measures: ``R @ 100``, ``nDCG @ 10``, ``MRecall @ 100``, ``violation @ 20``.

All that depends on an order comes from ir_measures, so ties fall as they do there. Documents rank by score, taken
as a 32-bit float; of equal scores the greater identifier, compared as text, comes first. That is trec_eval's rule.
One measure differs: ``RR @ k``, which ir_measures takes from MS MARCO's script, puts the lesser identifier first.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import ir_measures
import numpy as np
from ir_measures import AP, RR, Measure, P, R, nDCG
from numpy.typing import NDArray

from boolattn.data.records import Qrel
from boolattn.data.trec import RunEntry

Document: TypeAlias = str | int
"""The identifier of a document. A number and its text, 7 and "7", are the same document."""

Judgements: TypeAlias = Mapping[str, Collection[Document]]
"""Query -> the documents it asks for (or excludes): a set, a list, a pyroaring BitMap, or a dict document -> grade."""
PerQuery: TypeAlias = dict[str, dict[str, float]]
"""Measure -> query -> value. A query that a measure does not apply to is absent from it."""


class Ranking(NamedTuple):
    """The documents found for one query, best first, and their scores: two lists or arrays of the same length."""

    documents: Sequence[Document] | NDArray[Any]
    scores: Sequence[float] | NDArray[Any]


Run: TypeAlias = Mapping[str, Ranking]
"""Query -> what was found for it."""


def graded(documents: Collection[Document]) -> dict[str, int]:
    """Give each document its grade, 1 where none is told."""
    if isinstance(documents, Mapping):
        return {str(document): grade for document, grade in documents.items()}
    return dict.fromkeys(map(str, documents), 1)


def run_entries(run: Run, tag: str) -> Iterator[RunEntry]:
    """Yield the entries of a TREC run, for ``boolattn.data.trec.write_trec_run``."""
    for query, (documents, scores) in run.items():
        numbers = np.asarray(scores, dtype=float).tolist()
        for rank, (document, score) in enumerate(zip(documents, numbers, strict=True), start=1):
            yield RunEntry(query, str(document), rank, score, tag)


def qrels(judgements: Judgements) -> Iterator[Qrel]:
    """Yield TREC judgements, for ``boolattn.data.trec.write_trec_qrels``."""
    for query, documents in judgements.items():
        for document, grade in graded(documents).items():
            yield Qrel(query, document, grade)


class _Derived(Measure):
    """A measure at a cutoff that follows from the values of others."""

    SUPPORTED_PARAMS = {"cutoff": R.SUPPORTED_PARAMS["cutoff"]}  # noqa: RUF012
    parts: tuple[Measure, ...]
    combine: Callable[..., float]


class _MRecall(_Derived):
    """1 if the top k hold every answer of the query, or k of them where it has more than k; otherwise 0.

    Min et al., "Joint Passage Ranking for Diverse Multi-Answer Retrieval", EMNLP 2021,
    https://aclanthology.org/2021.emnlp-main.560. Reported on AmbigQA, QAMPARI and QUEST; QUEST's own script asks for
    every answer, and so gives 0 to a query with more than k.
    """

    __name__ = NAME = "MRecall"
    parts = (R, P)

    @staticmethod
    def combine(recall: float, precision: float) -> float:
        return float(recall == 1 or precision == 1)


class _Violation(_Derived):
    """The share of the top k that match a negated atom: P@k with the excluded documents in the place of answers.

    As in P@k, a ranking shorter than k is still divided by k.
    """

    __name__ = NAME = "violation"
    parts = (P,)

    @staticmethod
    def combine(precision: float) -> float:
        return precision


MRecall = _MRecall()  # type: ignore[no-untyped-call]
violation = _Violation()  # type: ignore[no-untyped-call]

NOTHING_FOUND = Ranking((), ())

RANKING_MEASURES: tuple[Measure, ...] = (
    *(R @ k for k in (20, 50, 100, 1000)),
    nDCG @ 10,
    RR @ 10,
    AP,
    P @ 20,
    MRecall @ 100,
)


def per_query(
    measures: Iterable[Measure], run: Run, answers: Judgements, negated: Judgements | None = None
) -> PerQuery:
    """Measure a run query by query.

    Args:
        measures: Those of ir_measures, ``MRecall @ k`` and ``violation @ k``.
        run: What was found. A query that is missing counts as one for which nothing was found.
        answers: The right documents of every query to be measured.
        negated: For the queries with a negated atom, the documents that match it. Only these queries have a
            value of ``violation``.
    """
    if unanswerable := [query for query, documents in answers.items() if not documents]:
        raise ValueError(f"{len(unanswerable)} queries have no answers, such as {unanswerable[0]!r}: leave them out")
    chosen = list(measures)
    violations = [measure for measure in chosen if isinstance(measure, _Violation)]
    if violations and negated is None:
        raise ValueError("violation needs the excluded documents: pass negated={query: documents}")
    others = [measure for measure in chosen if not isinstance(measure, _Violation)]

    values: PerQuery = {str(measure): {} for measure in chosen}
    for judgements, group in ((answers, others), (negated or {}, violations)):
        for query, documents in judgements.items() if group else ():
            for measure, value in _values(group, query, run.get(query, NOTHING_FOUND), documents):
                values[str(measure)][query] = value
    return values


def right_rank(run: Run, pairs: Mapping[str, tuple[Document, Document]]) -> dict[str, float]:
    """Tell for each query whether the first document of its pair, wanted, ranks above the second, excluded.

    ExcluIR's measure. A document that was not found ranks below all that were; equal scores are not right.
    """
    right = {}
    for query, (wanted, excluded) in pairs.items():
        scores = _scores(query, run.get(query, NOTHING_FOUND))
        right[query] = float(scores.get(str(wanted), -math.inf) > scores.get(str(excluded), -math.inf))
    return right


def pairwise_accuracy(right: Mapping[str, float], rows: Mapping[str, tuple[str, str]]) -> dict[str, float]:
    """Tell for each row of two queries whether both rank their own document first. Chance is 0.25.

    NevIR's measure.

    Args:
        right: The ``right_rank`` of every query.
        rows: Row -> its two queries.
    """
    return {row: right[first] * right[second] for row, (first, second) in rows.items()}


def _values(
    measures: Sequence[Measure], query: str, ranking: Ranking, documents: Collection[Document]
) -> Iterator[tuple[Measure, float]]:
    parts = {part for measure in measures for part in _parts(measure)}
    metrics = ir_measures.iter_calc(parts, {query: graded(documents)}, {query: _scores(query, ranking)})
    found = {metric.measure: metric.value for metric in metrics}
    for measure in measures:
        values = [found[part] for part in _parts(measure)]
        yield measure, measure.combine(*values) if isinstance(measure, _Derived) else values[0]


def _parts(measure: Measure) -> tuple[Measure, ...]:
    return tuple(part @ measure["cutoff"] for part in measure.parts) if isinstance(measure, _Derived) else (measure,)


def _scores(query: str, ranking: Ranking) -> dict[str, float]:
    documents = list(map(str, ranking.documents))
    scores = dict(zip(documents, np.asarray(ranking.scores, dtype=float).tolist(), strict=True))
    if len(scores) < len(documents):
        raise ValueError(f"the ranking of query {query!r} holds a document twice: keep its best score only")
    return scores
