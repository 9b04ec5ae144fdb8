"""Verification: if a query excludes something, the words of every candidate are checked against the plan.

    score = similarity + spread * condition

    similarity     of the document's vector and the query's, which is moved away from the exclusions
    spread         the difference between the similarities of the best and the worst candidate: it puts words on the
                   scale of the vectors, for any embedding model
    condition      the plan's tree over the atoms:
                   wanted atom    the share of its words that the document contains
                   unwanted atom  -UNWANTED * strength * weight * share^2: a document that contains all of its words is
                                  probably about it, a document with few of them is not
                   all of         the mean of the wanted parts, minus every "not"
                   any of         the best part

No document is removed: one that mentions the exclusion only ranks lower, because the right answer to a long question
may well mention it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from boolattn.plans.word_matching import distinctive_words, shares_found
from boolattn.reading.plan import AllOf, AnyOf, BooleanPlan, PlanNode, QueryAtom, is_exclusion

Numbers = NDArray[np.float64]

UNWANTED = 0.25
"""Chosen on validation queries by `boolattn-lab bench strengths`."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of N candidates: their similarity, and the words that each contains.

    Attributes:
        atoms: The plan's atoms, in order.
        condition: The plan's condition.
        similarity: (N,), to the query's vector.
        spread: The scale of the words; see above.
        shares: (A, N): the share of each atom's words that each candidate contains.
    """

    atoms: tuple[QueryAtom, ...]
    condition: PlanNode
    similarity: Numbers
    spread: float
    shares: Numbers

    @classmethod
    def of(cls, plan: BooleanPlan, texts: Sequence[str], similarity: Numbers, nearest: Sequence[bool]) -> "Evidence":
        """Collect the evidence.

        Args:
            plan: The plan of the query.
            texts: The candidates, each with its title.
            similarity: (N,), to the query's vector.
            nearest: Which candidates the vector search found; the similarities of BM25's do not count for the spread.
        """
        of_nearest = similarity[list(nearest)]
        spread = float(np.ptp(of_nearest)) if of_nearest.size else 0.0
        shares = shares_found(distinctive_words(plan.atoms), texts)
        return cls(plan.atoms, plan.condition, similarity, spread, shares)

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
            effects[row] = shares[row] if condition.sign == 1 else -unwanted * condition.weight * shares[row] ** 2
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
