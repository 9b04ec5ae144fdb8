"""A plan as a recommendation query of Qdrant."""

from collections.abc import Callable, Sequence
from typing import Any

from boolattn.reading.plan import BooleanPlan
from boolattn.reading.plan_tree import AnyOf


def to_qdrant(plan: BooleanPlan, vector_of: Callable[[str], Sequence[float]]) -> dict[str, Any]:
    """Return the plan as the ``query`` of ``POST /collections/{name}/points/query``.

    What is lost: the tree. Qdrant knows positive and negative examples and nothing of how they combine. The strategy
    keeps a little of it: ``average_vector`` (near all that is wanted at once, away from what is not), but
    ``best_score`` (near any of it) for a plan of alternatives, and for one that only leaves out, which the average
    cannot do. Exclusions are soft. Confidence does not count.

    Args:
        plan: What to find.
        vector_of: Embeds an atom's text; for a mapping, its ``__getitem__``.
    """
    average = bool(plan.positives) and not isinstance(plan.condition, AnyOf)
    return {
        "recommend": {
            "positive": [_numbers(vector_of(atom.text)) for atom in plan.positives],
            "negative": [_numbers(vector_of(atom.text)) for atom in plan.negatives],
            "strategy": "average_vector" if average else "best_score",
        }
    }


def _numbers(vector: Sequence[float]) -> list[float]:
    return [float(value) for value in vector]
