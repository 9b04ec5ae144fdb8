"""Merge ranked lists whose scores are not comparable: vector search and BM25."""

from collections.abc import Sequence

from boolattn.retrieval.index.protocol import Hit

RRF_K = 60
"""k of reciprocal rank fusion, from its paper (Cormack, Clarke and Buettcher, SIGIR 2009); 20 did no better here."""


def fuse(found: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Return the documents of all lists, best first: each list adds 1 / (60 + n) to its n-th document."""
    scores: dict[str, float] = {}
    for hits in found:
        for place, hit in enumerate(hits, start=1):
            scores[hit.doc_id] = scores.get(hit.doc_id, 0.0) + 1 / (RRF_K + place)
    return [Hit(*each) for each in sorted(scores.items(), key=lambda each: -each[1])]
