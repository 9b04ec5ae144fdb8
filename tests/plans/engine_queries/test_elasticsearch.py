import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolattn.plans.engine_queries import to_elasticsearch
from boolattn.reading.plan import BooleanPlan, is_exclusion
from boolattn.reading.syntax import parse
from tests.reading.syntax_trees import brute_force, condition_of_tree, trees

A, B, C = ({"match": {"text": name}} for name in "ABC")
NOT_A, NOT_B, NOT_C = ({"match_phrase": {"text": name}} for name in "ABC")


def boosting(positive, negative, boost=0.2):
    return {"boosting": {"positive": positive, "negative": negative, "negative_boost": boost}}


def either(*queries):
    return {"bool": {"should": list(queries), "minimum_should_match": 1}}


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("A", A),
        ("A AND B", {"bool": {"must": [A, B]}}),
        ("A OR B", either(A, B)),
        ("A NOT B", boosting(A, NOT_B)),
        ("A NOT B NOT C", boosting(A, either(NOT_B, NOT_C))),
        ("A NOT (B AND C)", boosting(A, {"bool": {"must": [NOT_B, NOT_C]}})),
        ("NOT A", boosting({"match_all": {}}, NOT_A)),
        ("NOT (A AND B)", boosting({"match_all": {}}, {"bool": {"must": [NOT_A, NOT_B]}})),
        ("A OR NOT B", either(A, boosting({"match_all": {}}, NOT_B))),
        ("A AND (B OR NOT C)", {"bool": {"must": [A, either(B, boosting({"match_all": {}}, NOT_C))]}}),
    ],
)
def test_queries(text, query):
    exported = to_elasticsearch(parse(text), "text")
    assert exported == query
    assert json.loads(json.dumps(exported)) == query


def test_the_field_and_the_boost_are_the_callers():
    assert to_elasticsearch(parse("live music NOT war"), "body", negative_boost=0.5) == boosting(
        {"match": {"body": "live music"}}, {"match_phrase": {"body": "war"}}, 0.5
    )
    with pytest.raises(ValueError, match="negative_boost is 2: use a number from 0 to 1"):
        to_elasticsearch(parse("A"), "text", negative_boost=2)


def score(query, words) -> float | None:
    """What the engine makes of a document; None if it does not match."""
    ((kind, body),) = query.items()
    if kind in ("match", "match_phrase"):
        return 1.0 if body["text"] in words else None
    if kind == "match_all":
        return 1.0
    if kind == "boosting":
        positive = score(body["positive"], words)
        demoted = score(body["negative"], words) is not None
        return positive * body["negative_boost"] if positive is not None and demoted else positive
    scores = [score(part, words) for part in body.get("must", body.get("should"))]
    matching = [each for each in scores if each is not None]
    return sum(matching) if len(matching) >= body.get("minimum_should_match", len(scores)) else None


NAMES = ("war", "comedy", "drama", "NOT")


@given(trees(NAMES, depth=3), st.sets(st.sampled_from(NAMES)))
def test_what_the_plan_wants_is_found(tree, words):
    condition = condition_of_tree(tree)
    query = to_elasticsearch(BooleanPlan("", condition, 1.0, "caller", "caller"), "text", negative_boost=0.25)
    found = score(query, words)
    if brute_force(tree, [words]):
        assert found is not None, "exclusions are soft: an answer is never lost"
    if is_exclusion(condition):
        assert found == (1.0 if brute_force(tree, [words]) else 0.25)


@given(st.lists(st.sampled_from(NAMES), min_size=1, unique=True), st.sets(st.sampled_from(NAMES)), st.data())
def test_what_the_plan_excludes_ranks_below_what_it_wants(names, words, data):
    unwanted = data.draw(st.lists(st.sampled_from(names), unique=True))
    wanted = [name for name in NAMES if name not in unwanted]
    text = " AND ".join([f'"{name}"' for name in wanted] + [f'NOT "{name}"' for name in unwanted])
    found = score(to_elasticsearch(parse(text), "text"), words)
    whole = max(1, len(wanted))
    expected = whole * (0.2 if words & set(unwanted) else 1.0)
    assert found == (pytest.approx(expected) if words >= set(wanted) else None)
