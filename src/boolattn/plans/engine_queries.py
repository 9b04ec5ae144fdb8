"""Plans in the query languages of other engines, as plain text or dictionaries; weights of exclusions are ignored."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from boolattn.reading.plan import AllOf, AnyOf, BooleanPlan, PlanNode, QueryAtom, is_exclusion, join, negated

_Query = dict[str, Any]


# Lucene's own special characters, and those of its dialects; an unnecessary escape does no harm.
_SPECIAL = re.compile(r"""[-+&|!(){}\[\]^"~*?:\\/<>=']""")
_OPERATOR = re.compile(r"^(?:AND|OR|NOT|TO)$")
_ESCAPE = r"\\\g<0>"


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


def to_lucene(plan: BooleanPlan) -> str:
    r"""Return the plan as a Lucene query: ``+(movies set in Vietnam) -"war"``.

    Limitations: matching is lexical. A wanted atom of several words is a group, matched by any or all of
    them depending on the parser's default operator; an unwanted one is a phrase, so that no document is excluded
    for sharing a single word. Exclusions are hard: Lucene drops such documents. Confidence is ignored.
    """
    return _lucene(plan.condition)


def _lucene(condition: PlanNode) -> str:
    """Write a condition with ``+`` and ``-``, since the precedence of Lucene's AND and OR is unusual."""
    if isinstance(condition, QueryAtom):
        return _lucene_words(condition.text) if condition.sign == 1 else f"*:* {_unwanted(condition)}"
    if isinstance(condition, AnyOf):
        return " OR ".join(_grouped(part) for part in condition.parts)
    wanted, unwanted = [], []
    for part in condition.parts:
        if isinstance(part, QueryAtom) and part.sign == -1:
            unwanted.append(_unwanted(part))
        else:
            wanted.append(f"+{_grouped(part)}")
    # Exclusions alone match nothing in Lucene: they need a query that matches everything.
    return " ".join([*(wanted or ["*:*"]), *unwanted])


def _grouped(condition: PlanNode) -> str:
    query = _lucene(condition)
    return f"({query})" if " " in query else query


def _unwanted(atom: QueryAtom) -> str:
    return f'-"{_SPECIAL.sub(_ESCAPE, atom.text)}"'


def _lucene_words(text: str) -> str:
    words = (_OPERATOR.sub(_ESCAPE, _SPECIAL.sub(_ESCAPE, word)) for word in text.split())
    return " ".join(words) or '""'


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


def to_weaviate(plan: BooleanPlan, force: float = 0.5) -> dict[str, Any]:
    """Return the plan as the argument of ``nearText`` in Weaviate's GraphQL.

    The first wanted atom is the concept to search for; Weaviate then moves its vector towards the other wanted atoms
    (``moveTo``) and away from the unwanted ones (``moveAwayFrom``). In the Python client these are ``query``,
    ``move_to=Move(**near_text["moveTo"])`` and ``move_away=Move(**near_text["moveAwayFrom"])``.

    Limitations: the tree is lost, since alternatives are treated like conditions, and the first atom
    counts most. Exclusions are soft. Confidence is ignored.

    Args:
        plan: What to find.
        force: How far to move, from 0 (not at all) to 1 (half-way, or as far away).

    Raises:
        ValueError: If the plan has only exclusions: ``nearText`` needs something to search for.
    """
    if not 0 <= force <= 1:
        raise ValueError(f"force is {force}: use a number from 0 to 1")
    if not plan.positives:
        raise ValueError(f"the plan {str(plan)!r} has only exclusions: add what to find, which nearText requires")
    first, *others = (atom.text for atom in plan.positives)
    near_text: dict[str, Any] = {"concepts": [first]}
    if others:
        near_text["moveTo"] = {"concepts": others, "force": force}
    if plan.negatives:
        near_text["moveAwayFrom"] = {"concepts": [atom.text for atom in plan.negatives], "force": force}
    return near_text
