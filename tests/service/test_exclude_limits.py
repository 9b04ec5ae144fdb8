"""What a request may exclude is limited, and the limits are in the OpenAPI document."""

import json

import httpx
import numpy as np
import pytest

from boolattn.query_vectors.query_encoder import PlainEncoder

WORDS = [f"w{number}" for number in range(33)]
QUERY = "films without " + ", ".join(WORDS)
LONG = "a" * 201
ROUTES = {
    "/v1/embeddings": (
        "OpenAIEmbeddings",
        lambda query, words: {"input": query, "model": "m-query", "exclude": [words]},
    ),
    "/embed": ("TeiEmbed", lambda query, words: {"inputs": query, "prompt_name": "query", "exclude": [words]}),
    "/v2/embed": (
        "CohereEmbed",
        lambda query, words: {"texts": [query], "input_type": "search_query", "exclude": [words]},
    ),
    "/v1/read": ("ReadRequest", lambda query, words: {"query": query, "exclude": words}),
    "/v1/explain": ("ReadRequest", lambda query, words: {"query": query, "exclude": words}),
    "/v1/search": ("SearchRequest", lambda query, words: {"query": query, "exclude": words}),
}


@pytest.mark.parametrize("path", ROUTES)
def test_words_to_exclude_are_limited_in_number_and_length(server, path):
    _, body = ROUTES[path]
    assert server.post(path, body(QUERY, ["w0"] * 32)).status_code == 200
    assert server.post(path, body(f"films without {LONG[1:]}", [LONG[1:]])).status_code == 200
    for words, limit in (
        (["w0"] * 33, "32 items"),
        ([LONG], "200 characters"),
        (dict.fromkeys(WORDS, 2), "32 items"),
        ({LONG: 2}, "200 characters"),
        ({"love": 0}, "love: Input should be greater than 0"),
        ({"love": 11}, "love: Input should be less than or equal to 10"),
        ({"love": "2"}, "love: Input should be a number"),
        ({"love": True}, "love: Input should be a number"),
        ("love", "a list of words, or an object of words and their weights"),
        ([""], "empty text"),
        ({" ": 1}, "empty text"),
    ):
        refused = server.post(path, body(QUERY, words))
        assert refused.status_code == 422 and limit in refused.text and "exclude" in refused.text, refused.text


@pytest.mark.parametrize("path", ROUTES)
def test_words_that_are_not_in_the_query_can_be_excluded_with_a_weight(server, path):
    _, body = ROUTES[path]
    usual, once, same, twice = (
        server.post(path, body("set in Vietnam", words) | {"reading": True, "plain": False}).json()
        for words in ([], ["war"], {"war": 1}, {"war": 2})
    )
    assert without_id(once) == without_id(same) != without_id(twice) and without_id(usual) != without_id(once)
    assert '"text": "war", "span": null' in json.dumps(once)
    assert '"weight": 2.0' in json.dumps(twice) and '"weight"' not in json.dumps(once)


def without_id(answer):
    return {name: value for name, value in answer.items() if name != "id"} if isinstance(answer, dict) else answer


def test_the_vector_is_the_librarys(server, model):
    exclude = [["war"], {"war": 2, "love": 1}, [], None]
    texts = ["set in Vietnam"] * 3 + [QUERY]
    body = {"input": texts, "model": "m-query", "exclude": exclude}
    found = [row["embedding"] for row in server.post("/v1/embeddings", body).json()["data"]]
    alone = [
        model.options.read([text], None if said is None else [said]) for text, said in zip(texts, exclude, strict=True)
    ]
    for vector, [reading] in zip(found, alone, strict=True):
        acting = model.query_encoder("pages") if reading.exclusions else PlainEncoder(model.document_encoder().encode)
        assert np.allclose(vector, acting.encode([model.options.applied(reading)])[0], atol=1e-6)


def test_the_limits_are_documented(server):
    schemas = httpx.get(f"{server.url}/openapi.json").json()["components"]["schemas"]
    for name, _ in ROUTES.values():
        described = schemas[name]["properties"]["exclude"]["anyOf"][0]
        if name.endswith(("Embed", "Embeddings")):  # one entry for each query
            described = described["items"]["anyOf"][0]
        words, weights = described["oneOf"]
        assert (words["type"], words["maxItems"], words["items"]["maxLength"]) == ("array", 32, 200)
        assert (weights["type"], weights["maxProperties"], weights["propertyNames"]["maxLength"]) == ("object", 32, 200)
        weight = weights["additionalProperties"]
        assert (weight["type"], weight["exclusiveMinimum"], weight["maximum"]) == ("number", 0, 10)
