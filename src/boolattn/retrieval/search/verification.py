"""Soft verification: every candidate of a pool is scored anew, atom by atom, and nothing is cut off.

    score = query + condition        query:     z(similarity to the query's vector) + z(BM25 of the wanted words)
                                     condition: the plan's tree over the atoms
    words(atom) = z(share of the atom's words that the text holds)

    wanted atom    words + z(similarity to the atom's own vector)    all of    the mean of what is wanted, and every
    unwanted atom  -strength max(words, 0)                                     "not" on top
                                                                     any of    the best part

z(x) is x in standard deviations from the mean over the pool. That makes vectors and words, and an atom that is near to
everything and one that is near to nothing, comparable, with no number to fit. An unwanted atom's own vector has no say:
the query's has been moved away from it already, and a long question's right answer is near to both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from boolattn.reading.plan import AllOf, AnyOf, BooleanPlan, PlanNode, QueryAtom, is_exclusion
from boolattn.retrieval.index.protocol import Hit, Rows, Vectors
from boolattn.retrieval.search.lexical_match import distinctive_words, shares_found

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates, N of them, and what is known of each.

    Attributes:
        atoms: Of the plan, in its order.
        condition: Of the plan.
        rows: The candidates.
        query: (N,): what the query as a whole says for each.
        evidence: (A, N): what each atom says for each.
    """

    atoms: tuple[QueryAtom, ...]
    condition: PlanNode
    rows: Rows
    query: Numbers
    evidence: Numbers

    @classmethod
    def of(cls, plan: BooleanPlan, rows: Rows, vector: Vectors, wanted: Vectors, by_text: Sequence[Hit]) -> "Pool":
        """Gather the evidence.

        Args:
            plan: What the query asks for.
            rows: The candidates.
            vector: (D,), of the query.
            wanted: (P, D), of the plan's wanted atoms.
            by_text: What BM25 found; candidates that are not among these get 0.
        """
        scores = {hit.doc_id: hit.score for hit in by_text}
        texts = [f"{title} {text}" for title, text in zip(rows.titles, rows.texts, strict=True)]
        near = standardised(rows.vectors @ vector) + standardised([scores.get(doc_id, 0.0) for doc_id in rows.ids])
        evidence = standardised(shares_found(distinctive_words(plan.atoms), texts))
        evidence[[atom.sign == 1 for atom in plan.atoms]] += standardised(wanted @ rows.vectors.T)
        return cls(plan.atoms, plan.condition, rows, near, evidence)

    def effects(self, strength: float) -> Numbers:
        """Return by how much each atom raises or lowers each candidate (A, N); ``query`` and these make its score."""
        return _effects(self.condition, {atom: row for row, atom in enumerate(self.atoms)}, self.evidence, strength)


def standardised(values: Any) -> Numbers:
    """Return values in standard deviations from the mean of their row; 0 where all are the same."""
    given: Numbers = np.asarray(values, dtype=np.float64)
    if given.size == 0:
        return given
    spread = given.std(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Numbers = np.where(spread > 1e-9, (given - given.mean(axis=-1, keepdims=True)) / spread, 0.0)
    return found


def _effects(condition: PlanNode, row_of: dict[QueryAtom, int], evidence: Numbers, strength: float) -> Numbers:
    match condition:
        case QueryAtom():
            row = row_of[condition]
            effects = np.zeros_like(evidence)  # (A, N)
            effects[row] = evidence[row] if condition.sign == 1 else -strength * np.maximum(evidence[row], 0)
            return effects
        case AllOf(parts):
            found = [(is_exclusion(part), _effects(part, row_of, evidence, strength)) for part in parts]
            wanted = [effects for leaves_out, effects in found if not leaves_out]
            unwanted = [effects for leaves_out, effects in found if leaves_out]
            return (np.mean(wanted, axis=0) if wanted else 0.0) + sum(unwanted, np.zeros_like(evidence))
        case AnyOf(parts):
            each = np.stack([_effects(part, row_of, evidence, strength) for part in parts])  # (parts, A, N)
            best = each.sum(axis=1).argmax(axis=0)  # (N,)
            chosen: Numbers = np.take_along_axis(each, best[None, None, :], axis=0)[0]
            return chosen
    assert_never(condition)
