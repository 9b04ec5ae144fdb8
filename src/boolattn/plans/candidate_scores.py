"""The second stage of a search: the words of every candidate are checked against the plan.

    score = similarity + spread * condition

    similarity     the first stage's score, such as that of the document's vector and the query's
    spread         the difference between the first scores of the best and the worst candidate: it puts words on the
                   scale of the first stage, whatever it is
    condition      the plan's tree over the atoms, with the weights of ``WEIGHTS``:
                   wanted atom    ``wanted`` times the share of its words that the document mentions
                   unwanted atom  -``unwanted`` * strength * weight * share^2: a document that contains all of its words
                                  is probably about it, a document with few of them is not; plus ``denied`` * strength *
                                  weight * the share of its words that the document denies ("no onions")
                   all of         the sum of the parts
                   any of         the best part

No document is removed: one that mentions the exclusion only ranks lower, because the right answer to a long question
may well mention it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from boolattn.plans.word_matching import Mentions, find_mentions
from boolattn.reading.plan import AllOf, AnyOf, BooleanPlan, PlanNode, QueryAtom, Sign
from boolattn.reading.reading import Documents

Numbers = NDArray[np.float64]

Found: TypeAlias = Literal["found", "partly found", "negated mention", "part of another word", "missing"]


@dataclass(frozen=True, slots=True)
class Weights:
    """How much words count against the first stage's scores, in multiples of their spread.

    Attributes:
        wanted: For a wanted atom that is mentioned.
        unwanted: Against an unwanted atom that is mentioned.
        denied: For an unwanted atom that is mentioned only to deny it: "no onions".
        verifier: For, or against, what a verifier finds best, or worst.
    """

    wanted: float
    unwanted: float
    denied: float
    verifier: float


WEIGHTS: Mapping[Documents, Weights] = {
    "pages": Weights(wanted=0.5, unwanted=0.25, denied=0.0, verifier=0.25),
    "things": Weights(wanted=1.0, unwanted=1.5, denied=0.5, verifier=0.5),
}
"""By what documents are: those of pages were chosen on questions about passages, those of things on recipes, each on
validation queries. A page may mention what is excluded and still be right, so unwanted words count less there."""


@dataclass(frozen=True, slots=True)
class AtomEffect:
    """The effect of one atom of the query on a hit.

    Attributes:
        text: The atom's words.
        sign: +1 if it is wanted, -1 if it is excluded.
        effect: Its contribution to the hit's score; negative if it lowered the score.
        found: What the hit's text says about it; a "negated mention" is "no onions", "part of another word" is "egg" in
            "eggplant", or "butter" in "peanut butter". Empty if it was not checked.
    """

    text: str
    sign: Sign
    effect: float
    found: Found | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of N candidates: their similarity, and what each says about the atoms.

    Attributes:
        atoms: The plan's atoms, in order.
        condition: The plan's condition.
        similarity: (N,), to the query's vector, or any other score of a first stage.
        spread: The scale of the words; see above.
        mentions: What each candidate says about each atom.
        weights: How much words count.
    """

    atoms: tuple[QueryAtom, ...]
    condition: PlanNode
    similarity: Numbers
    spread: float
    mentions: Mentions
    weights: Weights = WEIGHTS["pages"]

    @classmethod
    def of(
        cls,
        plan: BooleanPlan,
        texts: Sequence[str],
        similarity: Numbers,
        nearest: Sequence[bool] | None = None,
        documents: Documents = "pages",
    ) -> "Evidence":
        """Collect the evidence.

        Args:
            plan: The plan of the query.
            texts: The candidates, each with its title.
            similarity: (N,), to the query's vector, or any other score of a first stage.
            nearest: Which candidates the vector search found, whose similarities are the spread's; None for all.
            documents: What the candidates are.
        """
        of_nearest = similarity if nearest is None else similarity[list(nearest)]
        # Where all first scores are equal, words alone decide.
        spread = (float(np.ptp(of_nearest)) if of_nearest.size else 0.0) or 1.0
        return cls(plan.atoms, plan.condition, similarity, spread, find_mentions(plan.atoms, texts), WEIGHTS[documents])

    @property
    def shares(self) -> Numbers:
        """The share of each atom's words that each candidate mentions (A, N)."""
        return self.mentions.shares

    def effects(self, strength: float) -> Numbers:
        """Return the effect of each atom on each candidate (A, N); the score is their sum plus ``similarity``."""
        effects = np.zeros_like(self.shares)
        for row, atom in enumerate(self.atoms):
            shares, weights = self.shares[row], self.weights
            if atom.sign == 1:
                effects[row] = weights.wanted * shares
            else:
                denied = weights.denied * self.mentions.denied[row]
                effects[row] = strength * atom.weight * (denied - weights.unwanted * shares**2)
        _combine(effects, self.condition, self._rows())
        return self.spread * effects

    def found(self, row: int, place: int) -> Found:
        """Return what a candidate says about an atom, in words."""
        shares, denied, complete, other = self.mentions
        if complete[row, place]:
            return "found"
        if denied[row, place] > shares[row, place]:
            return "negated mention"
        if shares[row, place]:
            return "partly found"
        return "part of another word" if other[row, place] else "missing"

    def reasons(self, effects: Numbers, place: int) -> tuple[AtomEffect, ...]:
        """Return what each atom did to a candidate, given all effects (A, N)."""
        return tuple(
            AtomEffect(atom.text, atom.sign, float(effects[row, place]), self.found(row, place))
            for row, atom in enumerate(self.atoms)
        )

    def verdicts(self, *, only_exclusions: bool = False) -> Numbers:
        """Return for each candidate (N,) whether it fits the plan, by its words: 1, yes; 0, no; 0.5, they do not say.

        Args:
            only_exclusions: Whether only what is excluded can make a candidate unfit.
        """
        shares, denied, complete, other = self.mentions
        known = np.full(shares.shape, 0.5)
        for row, atom in enumerate(self.atoms):
            is_denied = ~complete[row] & (denied[row] > shares[row])
            if atom.sign == 1:
                known[row][complete[row]] = 1
                known[row][is_denied] = 0.5 if only_exclusions else 0
            else:
                known[row][is_denied | (~other[row] & (shares[row] == 0))] = 1
                known[row][complete[row]] = 0
        return _verdicts(self.condition, known, {atom: row for row, atom in enumerate(self.atoms)})

    def _rows(self) -> dict[QueryAtom, list[int]]:
        """Return the rows of each atom: several, if alternatives repeat it."""
        rows: dict[QueryAtom, list[int]] = {}
        for row, atom in enumerate(self.atoms):
            rows.setdefault(atom, []).append(row)
        return rows


def _combine(effects: Numbers, condition: PlanNode, rows_of: dict[QueryAtom, list[int]]) -> list[int]:
    """Keep the effects (A, N) of the best alternatives of a condition only, and return the rows of its atoms.

    Every atom has one row, which each node above it changes, so that memory grows linearly with the number of atoms.
    """
    match condition:
        case QueryAtom():
            return [rows_of[condition].pop(0)]
        case AllOf(parts):
            return [row for part in parts for row in _combine(effects, part, rows_of)]
        case AnyOf(parts):
            alternatives = [_combine(effects, part, rows_of) for part in parts]
            best = np.stack([effects[each].sum(axis=0) for each in alternatives]).argmax(axis=0)  # (N,)
            for place, each in enumerate(alternatives):
                effects[each] *= best == place
            return [row for each in alternatives for row in each]
    assert_never(condition)


def _verdicts(condition: PlanNode, known: Numbers, row_of: dict[QueryAtom, int]) -> Numbers:
    match condition:
        case QueryAtom():
            return np.asarray(known[row_of[condition]])
        case AllOf(parts):
            return np.asarray(np.min([_verdicts(part, known, row_of) for part in parts], axis=0))
        case AnyOf(parts):
            return np.asarray(np.max([_verdicts(part, known, row_of) for part in parts], axis=0))
    assert_never(condition)
