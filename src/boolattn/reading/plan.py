"""BooleanPlan: what a query asks for and what it leaves out, in a form that people and programs can read."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from boolattn.reading.plan_builder import condition_of
from boolattn.reading.plan_tree import AllOf, PlanNode, QueryAtom, atoms_in
from boolattn.reading.rules.rule_reader import Reading
from boolattn.reading.spans import Span
from boolattn.reading.syntax_tokens import written

Source: TypeAlias = Literal["syntax", "lexicon", "learned", "given"]

TRUSTED_CONFIDENCE = 0.5
"""A reading of which we are less sure than this is more likely wrong than right, and is not acted on."""


@dataclass(frozen=True, slots=True)
class BooleanPlan:
    """The atoms of a query, wanted and unwanted, and how they combine.

    ``str(plan)`` is the plan in the explicit syntax, ``movies set in Vietnam NOT war``, which ``syntax.parse`` reads.

    Attributes:
        query: The text.
        condition: The atoms and how they combine.
        confidence: How sure the plan is, from 0 to 1.
        source: Where it comes from: the explicit "syntax", the rules of the "lexicon", a "learned" model; "given" if
            the caller made it.
    """

    query: str
    condition: PlanNode
    confidence: float
    source: Source

    def __post_init__(self) -> None:
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"confidence is {self.confidence}: give a number from 0 to 1")
        if self.source not in get_args(Source):
            raise ValueError(f"no source {self.source!r}: use one of {', '.join(get_args(Source))}")

    @property
    def atoms(self) -> tuple[QueryAtom, ...]:
        """All atoms, in the order of the text."""
        return tuple(sorted(atoms_in(self.condition), key=lambda atom: atom.span))

    @property
    def positives(self) -> tuple[QueryAtom, ...]:
        """The atoms that are wanted; there are none in "not war films"."""
        return tuple(atom for atom in self.atoms if atom.sign == 1)

    @property
    def negatives(self) -> tuple[QueryAtom, ...]:
        """The atoms that are to be left out."""
        return tuple(atom for atom in self.atoms if atom.sign == -1)

    def __str__(self) -> str:
        return written(self.condition)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON has it."""
        return {
            "query": self.query,
            "plan": str(self),
            "condition": _as_dict(self.condition),
            "confidence": self.confidence,
            "source": self.source,
        }


def plan_of(
    query: str, reading: Reading, confidence: float, source: Source, threshold: float = TRUSTED_CONFIDENCE
) -> BooleanPlan:
    """Turn what was understood of a query into a plan.

    What a *not* speaks of is left out; the rest is wanted, cut where *and* and *or* are said.

    Args:
        query: The text.
        reading: Its operators, cues and scopes.
        confidence: How sure the reading is, from 0 to 1.
        source: Where the reading comes from.
        threshold: Below this confidence, the plan is the plain query: one wanted atom, the whole text. A wrong
            exclusion would cost more than a missed one.
    """
    condition = condition_of(query, reading) if confidence >= threshold else None
    return BooleanPlan(query, condition or QueryAtom.at(query, Span(0, len(query))), confidence, source)


def _as_dict(condition: PlanNode) -> dict[str, Any]:
    if isinstance(condition, QueryAtom):
        return {"text": condition.text, "span": list(condition.span), "sign": condition.sign}
    kind = "all_of" if isinstance(condition, AllOf) else "any_of"
    return {kind: [_as_dict(part) for part in condition.parts]}
