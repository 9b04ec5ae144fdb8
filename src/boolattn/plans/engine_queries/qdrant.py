"""A plan as a query, and as a filter, of Qdrant."""

import re
from collections.abc import Callable, Sequence
from typing import Any, assert_never

from boolattn.plans.engine_queries.exclusions import singular_and_plural, unwanted_part
from boolattn.reading.plan import AllOf, AnyOf, BooleanPlan, PlanNode, QueryAtom

_Query = dict[str, Any]
_WORD = re.compile(r"\w+")


def to_qdrant(plan: BooleanPlan, vector_of: Callable[[str], Sequence[float]]) -> dict[str, Any]:
    """Return the plan as the ``query`` of ``POST /collections/{name}/points/query``.

    Limitations: the tree is lost. Qdrant only has positive and negative examples, not how they combine. The strategy
    preserves part of it: ``average_vector`` (near everything wanted, away from what is not), but
    ``best_score`` (near any of it) for alternatives and for a plan of exclusions only, which the average
    cannot express. Exclusions are soft. Confidence is ignored.

    Args:
        plan: What to find.
        vector_of: Embeds an atom's text; for a mapping, pass its ``__getitem__``.
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


def to_qdrant_filter(plan: BooleanPlan, field: str, wanted: bool = False) -> dict[str, Any]:
    """Return the plan as a ``filter`` of Qdrant: ``{"must_not": [{"key": "text", "match": {"text": "war"}}, ...]}``.

    Limitations: exclusions are hard, and match as phrases in the singular and the plural, so that a document with "no
    onions" is dropped too. A plan that excludes nothing becomes an empty filter, which every document passes. If the
    field has a text index, it needs ``phrase_matching`` (and ``lowercase``): without it, Qdrant ignores an exclusion of
    several words, and says nothing.

    Args:
        plan: What to find.
        field: The text field of the payload.
        wanted: Whether documents must also contain the words of what is wanted, each as it is written; False leaves
            that to the vector.
    """
    condition = plan.condition if wanted else unwanted_part(plan.condition)
    return {} if condition is None else _qdrant_filter(condition, field)


def _qdrant_filter(condition: PlanNode, field: str) -> _Query:
    match condition:
        case QueryAtom(text, sign=1):
            return {"must": [{"key": field, "match": {"text": text}}]}
        case QueryAtom(text):
            # A phrase never matches in an index without phrases, so it is asked for only where there must be one.
            match_by = "phrase" if len(_WORD.findall(text)) > 1 else "text"
            return {"must_not": [{"key": field, "match": {match_by: form}} for form in singular_and_plural(text)]}
        case AnyOf(parts):
            return {"should": [_qdrant_filter(part, field) for part in parts]}
        case AllOf(parts):
            return {"must": [_qdrant_filter(part, field) for part in parts]}
    assert_never(condition)
