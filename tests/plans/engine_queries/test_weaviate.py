import json

import pytest
from weaviate.classes.query import Move
from weaviate.gql.filter import NearText

from boolattn.plans.engine_queries import to_weaviate
from boolattn.reading.syntax import parse


@pytest.mark.parametrize(
    ("text", "near_text"),
    [
        ("films", {"concepts": ["films"]}),
        (
            "live music AND gardens AND bars NOT dogs NOT smoking",
            {
                "concepts": ["live music"],
                "moveTo": {"concepts": ["gardens", "bars"], "force": 0.5},
                "moveAwayFrom": {"concepts": ["dogs", "smoking"], "force": 0.5},
            },
        ),
        ("NOT war AND films", {"concepts": ["films"], "moveAwayFrom": {"concepts": ["war"], "force": 0.5}}),
    ],
)
def test_the_shape(text, near_text):
    assert to_weaviate(parse(text)) == near_text


def test_the_client_writes_it_as_graphql():
    near_text = to_weaviate(parse(r'films AND "the \"big\" one" NOT war'), force=0.25)
    graphql = " ".join(str(NearText(json.loads(json.dumps(near_text)))).split())
    assert graphql == (
        'nearText: {concepts: ["films"] '
        r'moveTo: {force: 0.25 concepts: ["the \"big\" one"]} '
        'moveAwayFrom: {force: 0.25 concepts: ["war"]}}'
    )


def test_the_python_client_takes_the_moves():
    near_text = to_weaviate(parse("films AND comedy NOT war"))
    for key, concept in (("moveTo", "comedy"), ("moveAwayFrom", "war")):
        assert Move(**near_text[key])._to_gql_payload() == {"force": 0.5, "concepts": [concept]}


def test_there_must_be_something_to_be_near_to():
    with pytest.raises(ValueError, match="'NOT war' has only exclusions: add what to find"):
        to_weaviate(parse("NOT war"))


@pytest.mark.parametrize("force", [-0.1, 1.1])
def test_a_force_is_from_0_to_1(force):
    with pytest.raises(ValueError, match="from 0 to 1"):
        to_weaviate(parse("films"), force)
