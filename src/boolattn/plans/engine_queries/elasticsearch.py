"""A plan as a query of Elasticsearch and OpenSearch."""

from typing import Any

from boolattn.reading.plan import AllOf, AnyOf, BooleanPlan, PlanNode, QueryAtom, is_exclusion, join, negated

_Query = dict[str, Any]


def to_elasticsearch(plan: BooleanPlan, field: str, negative_boost: float = 0.2) -> dict[str, Any]:
    """Return the plan as the ``query`` of a search: ``bool`` for and and or, ``boosting`` for not.

    Limitations: matching is lexical, by the field's analyser. A wanted atom matches by any of its words, an
    unwanted one only as a phrase. Exclusions are soft: matching documents are ranked lower, not dropped.
    Confidence is ignored.

    Args:
        plan: What to find.
        field: The text field to search.
        negative_boost: Factor for the score of documents that match an exclusion, from 0 to 1.
    """
    if not 0 <= negative_boost <= 1:
        raise ValueError(f"negative_boost is {negative_boost}: use a number from 0 to 1")

    def query_of(condition: PlanNode, clause: str = "match") -> _Query:
        if is_exclusion(condition):
            return demoting({"match_all": {}}, condition)
        match condition:
            case QueryAtom(text):
                return {clause: {field: text}}
            case AnyOf(parts):
                return {"bool": {"should": [query_of(part, clause) for part in parts], "minimum_should_match": 1}}
            case AllOf(parts):
                wanted = [query_of(part, clause) for part in parts if not is_exclusion(part)]
                unwanted = [part for part in parts if is_exclusion(part)]
                positive = wanted[0] if len(wanted) == 1 else {"bool": {"must": wanted}}
                return demoting(positive, join(AllOf, unwanted)) if unwanted else positive

    def demoting(positive: _Query, unwanted: PlanNode) -> _Query:
        negative = query_of(negated(unwanted), "match_phrase")
        return {"boosting": {"positive": positive, "negative": negative, "negative_boost": negative_boost}}

    return query_of(plan.condition)
