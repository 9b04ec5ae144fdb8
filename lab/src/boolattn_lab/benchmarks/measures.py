"""Ranking measures in the notation of ir_measures: ``R @ 100``, ``nDCG @ 10``, ``MRecall @ 100``, ``violation @ 20``.

Everything that depends on order comes from ir_measures, so ties are broken by trec_eval's rule: documents are sorted
by score, as a 32-bit float, and tied documents by ID as text, largest first. ``RR @ k`` differs: ir_measures takes it
from MS MARCO's script, which puts the smallest ID first.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import ir_measures
import numpy as np
from ir_measures import AP, RR, Measure, P, R, nDCG
from numpy.typing import NDArray

from boolattn_lab.formats.records import Qrel
from boolattn_lab.formats.trec import RunEntry

Document: TypeAlias = str | int
"""A document ID. A number and its text, 7 and "7", are the same document."""

Judgements: TypeAlias = Mapping[str, Collection[Document]]
"""Query -> its relevant (or excluded) documents: a set, a list, a pyroaring BitMap, or a dict document -> grade."""
PerQuery: TypeAlias = dict[str, dict[str, float]]
"""Measure -> query -> value. Queries that a measure does not apply to are absent."""


class Ranking(NamedTuple):
    """The documents found for one query, best first, and their scores: two lists or arrays of the same length."""

    documents: Sequence[Document] | NDArray[Any]
    scores: Sequence[float] | NDArray[Any]

    def without(self, documents: Collection[Document]) -> "Ranking":
        """Return the ranking without some documents."""
        if not documents:
            return self
        names = set(map(str, documents))
        kept = [place for place, document in enumerate(self.documents) if str(document) not in names]
        return Ranking([self.documents[place] for place in kept], [self.scores[place] for place in kept])


Run: TypeAlias = Mapping[str, Ranking]
"""Query -> its ranking."""


def graded(documents: Collection[Document]) -> dict[str, int]:
    """Return each document's grade, 1 by default."""
    if isinstance(documents, Mapping):
        return {str(document): grade for document, grade in documents.items()}
    return dict.fromkeys(map(str, documents), 1)


def run_entries(run: Run, tag: str) -> Iterator[RunEntry]:
    """Yield the entries of a TREC run, for ``boolattn_lab.formats.trec.write_trec_run``."""
    for query, (documents, scores) in run.items():
        numbers = np.asarray(scores, dtype=float).tolist()
        for rank, (document, score) in enumerate(zip(documents, numbers, strict=True), start=1):
            yield RunEntry(query, str(document), rank, score, tag)


def qrels(judgements: Judgements) -> Iterator[Qrel]:
    """Yield TREC judgements, for ``boolattn_lab.formats.trec.write_trec_qrels``."""
    for query, documents in judgements.items():
        for document, grade in graded(documents).items():
            yield Qrel(query, document, grade)


class _Derived(Measure):
    """A measure at a cutoff, derived from other measures."""

    SUPPORTED_PARAMS = {"cutoff": R.SUPPORTED_PARAMS["cutoff"]}  # noqa: RUF012
    parts: tuple[Measure, ...]
    combine: Callable[..., float]


class _MRecall(_Derived):
    """1 if the top k contain every answer of the query, or k answers if it has more than k; otherwise 0.

    Min et al., "Joint Passage Ranking for Diverse Multi-Answer Retrieval", EMNLP 2021,
    https://aclanthology.org/2021.emnlp-main.560. Reported on AmbigQA, QAMPARI and QUEST; QUEST's own script requires
    every answer, and so gives 0 to a query with more than k.
    """

    __name__ = NAME = "MRecall"
    parts = (R, P)

    @staticmethod
    def combine(cutoff: int, recall: float, precision: float) -> float:
        return float(recall == 1 or precision == 1)


class _OfNegated(_Derived):
    """A measure that counts documents matching a negated atom instead of answers."""

    parts = (P,)


class _Violation(_OfNegated):
    """The share of the top k that match a negated atom: P@k with excluded documents as answers.

    As in P@k, a ranking shorter than k is still divided by k.
    """

    __name__ = NAME = "violation"

    @staticmethod
    def combine(cutoff: int, precision: float) -> float:
        return precision


class _WordLsnc(_OfNegated):
    """1 - log(v + 1) / log(k + 1), where v of the top k match a negated atom: 1 if none does, 0 if all do.

    The formula is that of LSNC@k, log-scaled negation consistency (ComLQ, https://arxiv.org/abs/2511.12004), which
    relies on judgements of what matches. ComLQ's published data has none; ours come from word matching, hence the
    other name.
    """

    __name__ = NAME = "wordLSNC"

    @staticmethod
    def combine(cutoff: int, precision: float) -> float:
        return 1 - math.log(round(precision * cutoff) + 1) / math.log(cutoff + 1)


MRecall = _MRecall()  # type: ignore[no-untyped-call]
violation = _Violation()  # type: ignore[no-untyped-call]
word_lsnc = _WordLsnc()  # type: ignore[no-untyped-call]

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
        measures: Any of ir_measures, ``MRecall @ k``, ``violation @ k`` and ``word_lsnc @ k``.
        run: The rankings. A missing query counts as an empty ranking.
        answers: The relevant documents of every query to measure.
        negated: For queries with a negated atom, the documents that match it. Only these queries have a value of
            ``violation`` and ``word_lsnc``.
    """
    if unanswerable := [query for query, documents in answers.items() if not documents]:
        raise ValueError(f"{len(unanswerable)} queries have no answers, such as {unanswerable[0]!r}: remove them")
    chosen = list(measures)
    of_negated = [measure for measure in chosen if isinstance(measure, _OfNegated)]
    if of_negated and negated is None:
        raise ValueError(f"{of_negated[0].NAME} needs the excluded documents: pass negated={{query: documents}}")
    others = [measure for measure in chosen if not isinstance(measure, _OfNegated)]

    values: PerQuery = {str(measure): {} for measure in chosen}
    for judgements, group in ((answers, others), (negated or {}, of_negated)):
        for query, documents in judgements.items() if group else ():
            for measure, value in _values(group, query, run.get(query, NOTHING_FOUND), documents):
                values[str(measure)][query] = value
    return values


def right_rank(run: Run, pairs: Mapping[str, tuple[Document, Document]]) -> dict[str, float]:
    """Return for each query whether the first document of its pair (wanted) ranks above the second (excluded).

    ExcluIR's measure. A document that was not found ranks below all others; ties are wrong.
    """
    right = {}
    for query, (wanted, excluded) in pairs.items():
        scores = _scores(query, run.get(query, NOTHING_FOUND))
        right[query] = float(scores.get(str(wanted), -math.inf) > scores.get(str(excluded), -math.inf))
    return right


def pairwise_accuracy(right: Mapping[str, float], rows: Mapping[str, tuple[str, str]]) -> dict[str, float]:
    """Return for each row of two queries whether both rank their own document first. Chance is 0.25.

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
        yield measure, measure.combine(measure["cutoff"], *values) if isinstance(measure, _Derived) else values[0]


def _parts(measure: Measure) -> tuple[Measure, ...]:
    return tuple(part @ measure["cutoff"] for part in measure.parts) if isinstance(measure, _Derived) else (measure,)


def _scores(query: str, ranking: Ranking) -> dict[str, float]:
    documents = list(map(str, ranking.documents))
    scores = dict(zip(documents, np.asarray(ranking.scores, dtype=float).tolist(), strict=True))
    if len(scores) < len(documents):
        raise ValueError(f"the ranking of query {query!r} contains a document twice: keep only its best score")
    return scores
