"""Filters checked by the client's own model, and run by its local mode."""

import json
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from qdrant_client import QdrantClient, models

from boolattn.plans.engine_queries import to_qdrant_filter
from boolattn.reading.plan import BooleanPlan
from boolattn.reading.syntax import parse
from tests.plans.engine_queries.kitchen import BOTH, BY_WORDS, DOCUMENTS, KEPT
from tests.reading.syntax_trees import brute_force, condition_of_tree, trees


@pytest.fixture(scope="module")
def client():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        client = QdrantClient(":memory:")
    yield client
    client.close()


def filled(client, name, texts):
    if client.collection_exists(name):
        client.delete_collection(name)
    client.create_collection(name, models.VectorParams(size=2, distance=models.Distance.COSINE))
    points = [
        models.PointStruct(id=number, vector=[1.0, 0.0], payload={"text": text}) for number, text in enumerate(texts)
    ]
    client.upsert(name, points)


@pytest.fixture(scope="module")
def kitchen(client):
    filled(client, "kitchen", DOCUMENTS.values())
    return client


def found(client, name, exported) -> set[int]:
    exported = json.loads(json.dumps(exported))
    read = models.Filter.model_validate(exported)
    assert read.model_dump(mode="json", exclude_unset=True) == exported, "the client knows every field"
    return {point.id for point in client.query_points(name, query=[1.0, 0.0], query_filter=read, limit=100).points}


def named(numbers) -> set[str]:
    return {list(DOCUMENTS)[number] for number in numbers}


@pytest.mark.parametrize(("text", "dropped"), KEPT)
def test_what_is_excluded_is_dropped_and_nothing_else(kitchen, text, dropped):
    kept = named(found(kitchen, "kitchen", to_qdrant_filter(parse(text), "text")))
    assert kept == set(DOCUMENTS) - BY_WORDS.get(text, dropped)


@pytest.mark.parametrize(("text", "kept"), BOTH)
def test_what_is_wanted_can_be_required(kitchen, text, kept):
    assert named(found(kitchen, "kitchen", to_qdrant_filter(parse(text), "text", wanted=True))) == kept


def test_the_shape():
    assert to_qdrant_filter(parse("soup"), "text") == {}
    one_word = [{"key": "text", "match": {"text": "onions"}}, {"key": "text", "match": {"text": "onion"}}]
    assert to_qdrant_filter(parse("soup NOT onions"), "text") == {"must_not": one_word}
    assert to_qdrant_filter(parse("soup NOT soy sauce"), "recipe.text") == {
        "must_not": [
            {"key": "recipe.text", "match": {"phrase": "soy sauce"}},
            {"key": "recipe.text", "match": {"phrase": "soy sauces"}},
        ]
    }


WORDS = ("war", "dramas", "science fiction", "it's", "love")


@given(trees(WORDS, depth=3), st.lists(st.sets(st.sampled_from(WORDS)), min_size=1, max_size=8))
def test_qdrant_finds_what_the_plan_wants(client, tree, everyone):
    filled(client, "drawn", [" / ".join(words) for words in everyone])
    plan = BooleanPlan("", condition_of_tree(tree), 1.0, "caller", "caller")
    assert found(client, "drawn", to_qdrant_filter(plan, "text", wanted=True)) == brute_force(tree, everyone)
