"""Verification: if a query excludes something, the words of every candidate are checked against the plan.

    score = similarity + spread * condition

    similarity     of the document's vector and the query's, which is moved away from the exclusions
    spread         the difference between the similarities of the best and the worst candidate: it puts words on the
                   scale of the vectors, for any embedding model
    condition      the plan's tree over the atoms:
                   wanted atom    the share of its words that the document contains
                   unwanted atom  -UNWANTED * strength * share^2: a document that contains all of its words is
                                  probably about it, a document with few of them is not
                   all of         the mean of the wanted parts, minus every "not"
                   any of         the best part

No document is removed: one that mentions the exclusion only ranks lower, because the right answer to a long question
may well mention it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from boolattn.reading.plan import AllOf, AnyOf, BooleanPlan, PlanNode, QueryAtom, is_exclusion
from boolattn.retrieval.index.protocol import Rows, Vectors
from boolattn.retrieval.search.lexical_match import distinctive_words, shares_found

Numbers = NDArray[np.float64]

UNWANTED = 0.25
"""Chosen on validation queries by `boolattn dev bench strengths`."""


@dataclass(frozen=True, slots=True)
class Pool:
    """N candidates and the evidence for each.

    Attributes:
        atoms: The plan's atoms, in order.
        condition: The plan's condition.
        rows: The candidates.
        similarity: (N,), to the query's vector.
        spread: The scale of the words; see above.
        shares: (A, N): the share of each atom's words that each candidate contains.
    """

    atoms: tuple[QueryAtom, ...]
    condition: PlanNode
    rows: Rows
    similarity: Numbers
    spread: float
    shares: Numbers

    @classmethod
    def of(cls, plan: BooleanPlan, rows: Rows, vector: Vectors, by_vector: Collection[str]) -> "Pool":
        """Collect the evidence.

        Args:
            plan: The plan of the query.
            rows: The candidates.
            vector: (D,), of the query.
            by_vector: IDs of the candidates from the vector search; the similarities of BM25's candidates do not count
                for the spread.
        """
        texts = [f"{title} {text}" for title, text in zip(rows.titles, rows.texts, strict=True)]
        # Row by row: the last digits of a matrix product depend on a row's place among the others.
        similarity: Numbers = np.multiply(rows.vectors, vector, dtype=np.float64).sum(axis=1)
        nearest = similarity[[doc_id in by_vector for doc_id in rows.ids]]
        spread = float(np.ptp(nearest)) if nearest.size else 0.0
        return cls(
            plan.atoms, plan.condition, rows, similarity, spread, shares_found(distinctive_words(plan.atoms), texts)
        )

    def effects(self, strength: float) -> Numbers:
        """Return the effect of each atom on each candidate (A, N); the score is their sum plus ``similarity``."""
        effects, row_of = np.zeros_like(self.shares), {atom: row for row, atom in enumerate(self.atoms)}
        _fill(effects, self.condition, row_of, self.shares, UNWANTED * strength)
        return self.spread * effects


def _fill(
    effects: Numbers, condition: PlanNode, row_of: dict[QueryAtom, int], shares: Numbers, unwanted: float
) -> list[int]:
    """Write the effects (A, N) of the atoms of a condition into their rows, and return these rows.

    Every atom has one row, which each node above it scales, so that memory grows linearly with the number of atoms.
    """
    match condition:
        case QueryAtom():
            row = row_of[condition]
            effects[row] = shares[row] if condition.sign == 1 else -unwanted * shares[row] ** 2
            return [row]
        case AllOf(parts):
            rows = [(is_exclusion(part), _fill(effects, part, row_of, shares, unwanted)) for part in parts]
            wanted = [each for excludes, each in rows if not excludes]
            for each in wanted:
                effects[each] /= len(wanted)
            return [row for _, each in rows for row in each]
        case AnyOf(parts):
            alternatives = [_fill(effects, part, row_of, shares, unwanted) for part in parts]
            best = np.stack([effects[each].sum(axis=0) for each in alternatives]).argmax(axis=0)  # (N,)
            for place, each in enumerate(alternatives):
                effects[each] *= best == place
            return [row for each in alternatives for row in each]
    assert_never(condition)
