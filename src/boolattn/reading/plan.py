"""BooleanPlan: what a query asks for and what it leaves out, in a form that people and programs can read."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from boolattn.reading.plan_tree import AllOf, PlanNode, QueryAtom, atoms_in
from boolattn.reading.syntax_tokens import written

Source: TypeAlias = Literal["caller", "syntax", "rules", "learned", "mechanism"]


@dataclass(frozen=True, slots=True)
class BooleanPlan:
    """The atoms of a query, wanted and unwanted, and how they combine.

    ``str(plan)`` is the plan in the explicit syntax, ``movies set in Vietnam NOT war``, which ``syntax.parse`` reads.

    Attributes:
        query: The text.
        condition: The atoms and how they combine.
        confidence: How sure the reader is, from 0 to 1.
        source: Where it comes from: the "caller", the explicit "syntax", the "rules", the "learned" reader, or the
            "mechanism" of a trained model.
        reader: The reader's name and version.
    """

    query: str
    condition: PlanNode
    confidence: float
    source: Source
    reader: str

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
            "reader": self.reader,
        }


def _as_dict(condition: PlanNode) -> dict[str, Any]:
    if isinstance(condition, QueryAtom):
        return {"text": condition.text, "span": list(condition.span), "sign": condition.sign}
    kind = "all_of" if isinstance(condition, AllOf) else "any_of"
    return {kind: [_as_dict(part) for part in condition.parts]}
