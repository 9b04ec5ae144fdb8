"""What a search returns."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from boolattn.reading.plan import Sign
from boolattn.retrieval.index.protocol import Hit, Rows, Value
from boolattn.retrieval.search.verification import Pool


@dataclass(frozen=True, slots=True)
class AtomEffect:
    """The effect of one atom of the query on a hit.

    Attributes:
        text: The atom's words.
        sign: +1 if it is wanted, -1 if it is excluded.
        effect: Its contribution to the hit's score; negative if it lowered the score.
    """

    text: str
    sign: Sign
    effect: float


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


def verified_hits(pool: Pool, strength: float, k: int, reader: str = "") -> list[SearchHit]:
    """Return the k best of a pool, best first; ties go to the earlier candidate."""
    effects = pool.effects(strength)  # (A, N)
    scores = pool.similarity + effects.sum(axis=0)  # (N,)
    rows = pool.rows
    return [
        SearchHit(
            rows.ids[place],
            float(scores[place]),
            rows.titles[place],
            rows.texts[place],
            rows.metadata[place],
            tuple(
                AtomEffect(atom.text, atom.sign, float(effect))
                for atom, effect in zip(pool.atoms, effects[:, place], strict=True)
            ),
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
