"""BM25 by bm25s over documents in memory, with English stems and stop words."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Found(NamedTuple):
    """The documents found for one query, best first."""

    documents: NDArray[Any]
    scores: NDArray[np.float32]


def rank_by_bm25(queries: Sequence[str], documents: Iterable[tuple[str, str]], k: int) -> list[Found]:
    """Return for each query the k best documents (ID, text) that share a word with it."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    identifiers: list[str] = []

    def texts() -> Iterator[str]:
        for identifier, text in documents:
            identifiers.append(identifier)
            yield text

    index = bm25s.BM25()
    index.index(
        bm25s.tokenize(list(texts()), stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False
    )
    words = bm25s.tokenize(list(queries), stopwords="en", stemmer=stemmer, show_progress=False)
    found, scores = index.retrieve(words, k=min(k, len(identifiers)), show_progress=False)
    names = np.array(identifiers, dtype=object)
    return [Found(names[row[values > 0]], values[values > 0]) for row, values in zip(found, scores, strict=True)]
