"""Compare a system with its plain model: which vectors and hits it changes, and what that gains or costs."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolattn.reading.reading import Documents
from boolattn_lab.benchmarks.measures import PerQuery, Ranking, Run
from boolattn_lab.benchmarks.systems import DenseRetriever, Retriever
from boolattn_lab.benchmarks.tasks import PairTask, RetrievalTask, WrongSystemError

ROUNDING = 1e-4  # per component of a unit vector: the batch's length changes the last digits
HITS = 10  # what a user sees: hits have changed if these documents or their order differ


class BesideBare(NamedTuple):
    """The per-query results of a system and of its plain model, and the queries on which they differ."""

    acting: PerQuery
    bare: PerQuery
    changed: list[str]
    changed_hits: list[str]


def beside_bare(task: RetrievalTask | PairTask, system: Retriever) -> BesideBare:
    """Rank with a system's query vectors and with those of its plain model."""
    dense = dense_system(system, task.name, task.documents_are)
    texts = list(task.queries.values())
    vectors, bare_vectors = dense.query_vectors(texts), dense.bare_query_vectors(texts)  # (Q, D)
    differs = np.abs(vectors - bare_vectors).max(axis=1) > ROUNDING * np.linalg.norm(bare_vectors, axis=1)
    changed = [query for query, differing in zip(task.queries, differs, strict=True) if differing]

    def rank(queries: Iterable[str], some: NDArray[np.float32]) -> Run:
        return dense.rank_vectors(queries, some, task.corpus(), task.depth, task.document_tokens)

    bare = rank(task.queries, bare_vectors)
    # Vectors that differ only by rounding keep the plain ranking.
    acting = {**bare, **(rank(changed, vectors[differs]) if changed else {})}
    changed_hits = [query for query in changed if _hits(acting[query]) != _hits(bare[query])]
    return BesideBare(task.values(acting), task.values(bare), changed, changed_hits)


def dense_system(system: Any, asked_by: str, documents: Documents) -> DenseRetriever:
    """Return a dense system set to things or pages; only dense systems have a plain model."""
    if not isinstance(system, DenseRetriever):
        raise WrongSystemError(f"{asked_by} compares vectors, which {system.name!r} does not have: use a dense model")
    return system.over(documents)


def _hits(ranking: Ranking) -> list[str]:
    return list(map(str, ranking.documents[:HITS]))
