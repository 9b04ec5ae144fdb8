"""Compare an index with what it should contain."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from boolattn.retrieval.index.protocol import Index, Rows


@dataclass(frozen=True, slots=True)
class Faults:
    """What is not as it should be, in documents.

    Attributes:
        lost: Not there.
        duplicated: There more often than once.
        wrong: With another vector, text or metadata, or there although they were removed.
    """

    lost: int = 0
    duplicated: int = 0
    wrong: int = 0

    def __add__(self, other: "Faults") -> "Faults":
        return Faults(self.lost + other.lost, self.duplicated + other.duplicated, self.wrong + other.wrong)

    def __bool__(self) -> bool:
        return bool(self.lost or self.duplicated or self.wrong)


def faults_of(index: Index, expected: Rows, former: Iterable[str] = ()) -> Faults:
    """Compare an index with the documents that it should contain.

    Args:
        index: The index.
        expected: All documents that it should contain.
        former: IDs of documents that it contained before.
    """
    count = index.count()  # first: on Milvus, this waits until every write can be seen
    found = index.fetch(expected.ids)
    there = {doc_id: place for place, doc_id in enumerate(found.ids)}
    pairs = [(place, there[doc_id]) for place, doc_id in enumerate(expected.ids) if doc_id in there]
    left = sum(index.shards_of(sorted({*former} - {*expected.ids})).values())
    return Faults(
        lost=len(expected) - len(pairs),
        duplicated=max(0, count - len(pairs) - left),
        wrong=left + sum(not _same(expected, place, found, other) for place, other in pairs),
    )


def _same(expected: Rows, place: int, found: Rows, other: int) -> bool:
    return (
        expected.titles[place] == found.titles[other]
        and expected.texts[place] == found.texts[other]
        and dict(expected.metadata[place]) == dict(found.metadata[other])
        and np.array_equal(expected.vectors[place], found.vectors[other])
    )
