"""What a request may exclude is limited, and the limits are in the OpenAPI document."""

import httpx
import pytest

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
    for query, words, limit in ((QUERY, ["w0"] * 33, "32 items"), (f"films without {LONG}", [LONG], "200 characters")):
        refused = server.post(path, body(query, words))
        assert refused.status_code == 422 and limit in refused.text and "exclude" in refused.text


def test_the_limits_are_documented(server):
    schemas = httpx.get(f"{server.url}/openapi.json").json()["components"]["schemas"]
    for name, _ in ROUTES.values():
        described = schemas[name]["properties"]["exclude"]["anyOf"][0]
        if name.endswith(("Embed", "Embeddings")):  # one list for each query
            described = described["items"]["anyOf"][0]
        assert (described["maxItems"], described["items"]["maxLength"]) == (32, 200)
