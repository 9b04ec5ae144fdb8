"""Whatever the text, the service answers soon and does not fail."""

import json

import httpx
import pytest

BODIES = {
    "control characters": "".join(map(chr, range(32))) + "\x7f\x80\x9f not \x00 war",
    "a megabyte": "not war " * 131_072,
    "a long query": "without war, " * 5_000,
    "emoji": "🎬🪖 films but not 👩‍👩‍👧‍👦 " * 50,
    "right to left": "أفلام ليست عن الحرب \u202e not war \u202c עברית",
    "lone surrogates": "films \ud800 not \udfff war",
    "only operators": "AND OR NOT NOT AND - - NOT",
    "nested parentheses": "(" * 5_000 + "war" + ")" * 5_000,
    "nested operators": "NOT (" * 5_000 + "war" + ")" * 5_000,
    "quotation marks": '"' * 9_999,
    "nothing": "",
    "spaces": " \t\r\n\u2028\u00a0" * 100,
    "combining marks": "e" + "\u0301" * 20_000,
    "byte order mark": "\ufeffnot war",
    "many words": " ".join(f"w{n}" for n in range(10_000)),
}
ROUTES = {
    "/v1/embeddings": lambda text: {"input": text, "model": "m-query", "reading": True},
    "/embed": lambda text: {"inputs": [text], "prompt_name": "query"},
    "/v2/embed": lambda text: {"texts": [text], "input_type": "search_query"},
    "/v1/read": lambda text: {"query": text},
    "/v1/search": lambda text: {"query": text, "hybrid": True, "plain": True},
    "/v1/explain": lambda text: {"query": text},
}
EXPECTED = {"a megabyte": 413, "lone surrogates": 422, "a long query": None, "many words": None}


def asked(server, path, body):
    """Return the answer, and the CPU time that it took: the machine may be busy."""
    begun = server.cpu_seconds()
    answer = httpx.post(server.url + path, content=body, headers={"Content-Type": "application/json"}, timeout=60)
    return answer, server.cpu_seconds() - begun


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("kind", BODIES)
def test_hostile_text(server, path, kind):
    body = json.dumps(ROUTES[path](BODIES[kind]))  # as JSON escapes: also what is not valid Unicode
    answer, seconds = asked(server, path, body)
    if seconds >= 1:  # the text is slow, or the machine
        ordinary = json.dumps(ROUTES[path]("films about rivers and the people along them " * 64))
        assert seconds < 3 * asked(server, path, ordinary)[1]
    assert answer.status_code < 500, answer.text
    if EXPECTED.get(kind, 200) is not None:
        assert answer.status_code == EXPECTED.get(kind, 200), answer.text


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[" * 100_000, b'{"input": ' * 20_000, b"\xff\xfe", b"null", b'{"input": NaN}', b'{"input": 1e999}'],
    ids=["empty", "cut off", "nested lists", "nested objects", "not UTF-8", "null", "NaN", "infinity"],
)
def test_bodies_that_are_no_requests(server, body):
    headers = {"Content-Type": "application/json"}
    answer = httpx.post(f"{server.url}/v1/embeddings", content=body, headers=headers, timeout=30)
    assert answer.status_code in (400, 422) and answer.headers["content-type"] == "application/problem+json"


def test_a_service_that_was_asked_all_that_still_works(server, model):
    answer = server.post("/v1/embeddings", {"input": "war films", "model": "m-query"})
    assert answer.json()["data"][0]["embedding"] == model.encode_query("war films").tolist()
