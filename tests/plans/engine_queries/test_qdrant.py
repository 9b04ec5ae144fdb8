import json
import warnings

import numpy as np
import pytest
from qdrant_client import QdrantClient, models

from boolattn.plans.engine_queries import to_qdrant
from boolattn.reading.syntax import parse

VECTORS = {"vietnam": [1.0, 0.0, 0.0], "war": [0.0, 1.0, 0.0], "food": [0.0, 0.0, 1.0]}
POINTS = {
    "vietnam war": [0.8, 0.6, 0.0],
    "vietnam food": [0.8, 0.0, 0.6],
    "war food": [0.0, 0.8, 0.6],
    "food": [0.0, 0.0, 1.0],
}


@pytest.fixture(scope="module")
def client():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        client = QdrantClient(":memory:")
    client.create_collection("films", models.VectorParams(size=3, distance=models.Distance.COSINE))
    points = [
        models.PointStruct(id=number, vector=vector, payload={"name": name})
        for number, (name, vector) in enumerate(POINTS.items())
    ]
    client.upsert("films", points)
    yield client
    client.close()


def ranked(client, text) -> list[str]:
    exported = json.loads(json.dumps(to_qdrant(parse(text), VECTORS.__getitem__)))
    query = models.RecommendQuery.model_validate(exported)
    assert query.model_dump(mode="json", exclude_unset=True) == exported, "the client knows every field"
    return [point.payload["name"] for point in client.query_points("films", query=query).points]


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("vietnam", "vietnam war vietnam food"),
        ("vietnam NOT war", "vietnam food"),
        ("vietnam NOT food", "vietnam war"),
        ("vietnam AND food NOT war", "vietnam food"),
        ("vietnam AND food", "vietnam food"),
        ("vietnam OR food", "food"),
        ("NOT food", "vietnam war"),
    ],
)
def test_qdrant_ranks_by_the_plan(client, text, best):
    found = ranked(client, text)
    assert found[0] in best
    assert set(found) == set(POINTS), "exclusions are soft: nothing is dropped"


def test_the_shape():
    exported = to_qdrant(parse("(vietnam OR food) NOT war"), lambda text: np.array(VECTORS[text], dtype=np.float32))
    assert exported == {
        "recommend": {
            "positive": [VECTORS["vietnam"], VECTORS["food"]],
            "negative": [VECTORS["war"]],
            "strategy": "average_vector",
        }
    }
    assert json.dumps(exported)
    assert to_qdrant(parse("NOT war"), VECTORS.__getitem__)["recommend"]["strategy"] == "best_score"
