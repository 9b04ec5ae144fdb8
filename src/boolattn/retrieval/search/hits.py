"""What a search returns."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from boolattn.plans.candidate_scores import AtomEffect as AtomEffect
from boolattn.plans.candidate_scores import Evidence
from boolattn.reading.plan import BooleanPlan
from boolattn.reading.reading import Documents
from boolattn.retrieval.index.protocol import Hit, Rows, Value, Vectors


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A document found by a search.

    Attributes:
        doc_id: The user's ID.
        score: Higher is better; comparable within one search only.
        title: The title; empty if there is none.
        text: The document's text.
        metadata: Its fields.
        atoms: The effect of each atom of the query; empty if hits were not verified.
        reader: The name and version of the reader that read the query.
    """

    doc_id: str
    score: float
    title: str
    text: str
    metadata: Mapping[str, Value]
    atoms: tuple[AtomEffect, ...] = ()
    reader: str = ""


REASONS = ("boolattn_score", "boolattn_atoms", "boolattn_reader")


def fields_with_reasons(hit: SearchHit) -> dict[str, Any]:
    """Return a hit's title and fields, and the reasons for its rank, under names that no user field has."""
    reasons = (hit.score, [asdict(atom) for atom in hit.atoms], hit.reader)
    return {"title": hit.title} | dict(hit.metadata) | dict(zip(REASONS, reasons, strict=True))


class Pool(NamedTuple):
    """Candidates, and the evidence for each."""

    rows: Rows
    evidence: Evidence

    @classmethod
    def of(
        cls,
        plan: BooleanPlan,
        rows: Rows,
        vectors: Vectors,
        by_vector: Collection[str],
        documents: Documents = "pages",
    ) -> "Pool":
        """Collect the evidence.

        Args:
            plan: The plan of the query.
            rows: The candidates.
            vectors: (Q, D), of the query, or of its alternatives: a candidate counts by the nearest.
            by_vector: IDs of the candidates from the vector search; the others are BM25's.
            documents: What the candidates are.
        """
        # Row by row: the last digits of a matrix product depend on a row's place among the others.
        each = [np.multiply(rows.vectors, vector, dtype=np.float64).sum(axis=1) for vector in vectors]
        similarity = np.max(each, axis=0)
        texts = [f"{title} {text}" for title, text in zip(rows.titles, rows.texts, strict=True)]
        nearest = [doc_id in by_vector for doc_id in rows.ids]
        return cls(rows, Evidence.of(plan, texts, similarity, nearest, documents))


def verified_hits(pool: Pool, strength: float, k: int, reader: str = "") -> list[SearchHit]:
    """Return the k best of a pool, best first; ties go to the earlier candidate."""
    rows, evidence = pool
    effects = evidence.effects(strength)  # (A, N)
    scores = evidence.similarity + effects.sum(axis=0)  # (N,)
    return [
        SearchHit(
            rows.ids[place],
            float(scores[place]),
            rows.titles[place],
            rows.texts[place],
            rows.metadata[place],
            evidence.reasons(effects, place),
            reader,
        )
        for place in (-scores).argsort(kind="stable")[:k]
    ]


def unverified_hits(hits: list[Hit], rows: Rows, reader: str = "") -> list[SearchHit]:
    """Return hits with their documents; a document deleted in between is skipped."""
    scores = {hit.doc_id: hit.score for hit in hits}
    columns = zip(rows.ids, rows.titles, rows.texts, rows.metadata, strict=True)
    return [
        SearchHit(doc_id, scores[doc_id], title, text, fields, (), reader) for doc_id, title, text, fields in columns
    ]


RRF_K = 60
"""k of reciprocal rank fusion, from its paper (Cormack, Clarke and Buettcher, SIGIR 2009); 20 did no better here."""


def fuse(found: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Return the documents of all lists, best first: each list adds 1 / (60 + n) to its n-th document."""
    scores: dict[str, float] = {}
    for hits in found:
        for place, hit in enumerate(hits, start=1):
            scores[hit.doc_id] = scores.get(hit.doc_id, 0.0) + 1 / (RRF_K + place)
    return [Hit(*each) for each in sorted(scores.items(), key=lambda each: -each[1])]
