"""Exact search: scores every document for every query, in chunks, and keeps only the best."""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil, isfinite
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from torch import Tensor

from boolattn_lab.benchmarks.measures import Document, Ranking

Vectors: TypeAlias = NDArray[Any]
Block: TypeAlias = tuple[Sequence[Document] | NDArray[Any], Vectors]

QUERIES_AT_ONCE = 256


def exact_search(
    queries: Vectors, documents: Vectors | Iterable[Block], k: int, *, chunk: int = 16_384, progress: bool = True
) -> list[Ranking]:
    """Find the k documents with the largest inner product for each query, best first; ties go to the earlier document.

    Scores are 32-bit floats. For cosine, pass unit vectors. Memory does not grow with the number of documents: besides
    the results, (Q, k), it needs two chunks of vectors (and two blocks), and at most 20 bytes for each score of a
    chunk, (QUERIES_AT_ONCE, chunk + k).

    Args:
        queries: (Q, D).
        documents: (N, D), possibly a memory map, with documents identified by number, from 0. Or blocks of
            IDs and their vectors, of any size, read once.
        k: Number of documents to find. If there are fewer, all are ranked.
        chunk: Number of documents to score at a time.
        progress: Whether to show a progress bar.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    groups = [_Best(group, k) for group in torch.split(_finite(queries, "queries"), QUERIES_AT_ONCE)]
    total = ceil(len(documents) / chunk) if isinstance(documents, np.ndarray) else None
    console = Console(stderr=True)  # standard output is reserved for results
    searched = 0
    for identifiers, rows in track(
        _chunks(documents, chunk), "Searching", total, console=console, disable=not progress
    ):
        vectors = _finite(rows, "documents")
        searched += len(vectors)
        for group in groups:
            group.add(identifiers, vectors)
    return [ranking for group in groups for ranking in group.rankings(min(k, searched))]


def _chunks(documents: Vectors | Iterable[Block], chunk: int) -> Iterator[tuple[NDArray[Any], Vectors]]:
    blocks = [(range(len(documents)), documents)] if isinstance(documents, np.ndarray) else documents
    for identifiers, vectors in blocks:
        if len(identifiers) != len(vectors):
            raise ValueError(f"a block has {len(identifiers)} IDs for {len(vectors)} vectors: pass one per vector")
        for start in range(0, len(vectors), chunk):
            yield _as_array(identifiers[start : start + chunk]), vectors[start : start + chunk]


def _as_array(identifiers: Sequence[Document] | NDArray[Any]) -> NDArray[Any]:
    """Keep numbers; store strings as objects, because numpy would truncate or pad them to one length."""
    array = np.asarray(identifiers)
    return np.asarray(identifiers, dtype=np.int64 if array.dtype.kind in "iu" else object)


def _finite(vectors: Vectors, what: str) -> Tensor:
    tensor = torch.from_numpy(np.array(vectors, dtype=np.float32))  # a copy: torch warns about read-only memory maps
    if not isfinite(tensor.sum()):  # cheaper than checking each: one bad number makes the sum bad
        raise ValueError(f"the vectors of {what} contain NaN or infinity, which cannot be ranked: encode them again")
    return tensor


class _Best:
    """The best k documents so far for a group of queries."""

    def __init__(self, queries: Tensor, k: int) -> None:
        self.queries = queries  # (Q, D)
        self.scores = torch.full((len(queries), k), -torch.inf)  # (Q, k)
        self.documents: NDArray[Any] = np.full((len(queries), k), -1)  # (Q, k)

    def add(self, identifiers: NDArray[Any], vectors: Tensor) -> None:
        if vectors.shape[1] != self.queries.shape[1]:
            raise ValueError(
                f"documents have {vectors.shape[1]} dimensions and queries {self.queries.shape[1]}: "
                "encode both with one model"
            )
        # Kept documents come first because they were seen first, so ties in column order are ties in document order.
        scores = torch.cat([self.scores, self.queries @ vectors.T], dim=1)  # (Q, k + chunk)
        k = self.scores.shape[1]
        columns = _best_columns(scores, k)  # (Q, k)
        self.scores = scores.gather(1, columns)
        where = columns.numpy()
        kept = np.take_along_axis(self.documents, np.minimum(where, k - 1), axis=1)
        added = identifiers[np.maximum(where - k, 0)]
        self.documents = np.where(where < k, kept, added)  # (Q, k)

    def rankings(self, k: int) -> Iterator[Ranking]:
        """Yield the ranking of each query, without unfilled ranks."""
        return map(Ranking, self.documents[:, :k], self.scores[:, :k].numpy())


def _best_columns(scores: Tensor, k: int) -> Tensor:
    """Return the columns of the k best scores in each row, best first; ties go to the first column."""
    values, columns = scores.topk(k + 1)
    columns = columns[:, :k].sort(dim=1).values
    # topk does not specify how it breaks ties. That matters at the cutoff.
    tied = values[:, k - 1] == values[:, k]
    if tied.any():
        columns[tied] = _first_columns(scores[tied], values[tied, k - 1 : k], k)
    best_first = scores.gather(1, columns).sort(dim=1, descending=True, stable=True).indices
    return columns.gather(1, best_first)


def _first_columns(scores: Tensor, edge: Tensor, k: int) -> Tensor:
    """Return, in order, the columns of all scores above the cutoff and of enough at the cutoff to make k per row."""
    above, equal = scores > edge, scores == edge
    room = k - above.sum(dim=1, keepdim=True)
    chosen = above | (equal & (equal.cumsum(dim=1, dtype=torch.int32) <= room))
    return chosen.nonzero()[:, 1].view(-1, k)
