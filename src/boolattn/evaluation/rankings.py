"""What a search returns and what it should have returned: the forms that search, measures and TREC files share."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boolattn.data.records import Qrel
from boolattn.data.trec import RunEntry

Document: TypeAlias = str | int
"""The identifier of a document. A number and its text, 7 and "7", are the same document."""


class Ranking(NamedTuple):
    """The documents found for one query, best first, and their scores: two lists or arrays of the same length."""

    documents: Sequence[Document] | NDArray[Any]
    scores: Sequence[float] | NDArray[Any]


Run: TypeAlias = Mapping[str, Ranking]
"""Query -> what was found for it."""

Judgements: TypeAlias = Mapping[str, Collection[Document]]
"""Query -> the documents it asks for (or excludes): a set, a list, a pyroaring BitMap, or a dict document -> grade."""


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
