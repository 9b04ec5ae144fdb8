"""Joining ranked lists whose scores cannot be compared: a vector's and BM25's."""

from collections.abc import Sequence

from boolattn.retrieval.index.protocol import Hit

RRF_K = 60
"""k of reciprocal rank fusion, from its paper (Cormack, Clarke and Buettcher, SIGIR 2009); 20 did no better here."""


def fuse(wanted: Sequence[Sequence[Hit]], unwanted: Sequence[Hit] = (), strength: float = 0.0) -> list[Hit]:
    """Return the documents of all wanted lists, best first: each list gives its n-th document 1 / (60 + n).

    Args:
        wanted: Lists, best first.
        unwanted: A list, best first, of what is to be excluded. A wanted document that is in it too loses
            ``strength`` / (60 + n); it adds no document.
        strength: How much being unwanted weighs against being wanted.
    """
    scores: dict[str, float] = {}
    for hits in wanted:
        for place, hit in enumerate(hits, start=1):
            scores[hit.doc_id] = scores.get(hit.doc_id, 0.0) + 1 / (RRF_K + place)
    for place, hit in enumerate(unwanted, start=1):
        if hit.doc_id in scores:
            scores[hit.doc_id] -= strength / (RRF_K + place)
    return [Hit(*each) for each in sorted(scores.items(), key=lambda each: -each[1])]
