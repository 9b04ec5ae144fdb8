"""Reranking by real clients: what the library's rerank does, in two protocols."""

import json
import subprocess

import cohere
import httpx
import pytest

from boolattn.plans.rerank import rerank
from boolattn.service.keys import add_key
from boolattn.service.settings import ServiceSettings
from tests.service.running import running

QUERY = "soup without onions"
TEXTS = ["Onion soup with stock", "Soup with leeks and onions", "Carrot soup with cream", "Soup, no onions"]


def ranked(texts=TEXTS, query=QUERY, **how):
    return [each.place for each in rerank(query, texts, documents="things", **how)]


@pytest.fixture(scope="module")
def client(server):
    return cohere.ClientV2(api_key="any", base_url=server.url)


def test_cohere(client):
    answer = client.rerank(
        model="rerank-v3.5", query=QUERY, documents=TEXTS, request_options=with_fields(documents_are="things")
    )
    assert [each.index for each in answer.results] == ranked() != [0, 1, 2, 3]
    scores = [each.relevance_score for each in answer.results]
    assert scores == sorted(scores, reverse=True) and (scores[0], scores[-1]) == (1, 1 / 4)
    assert len(set(scores)) == 4 and answer.id and answer.meta.api_version.version == "2"


def with_fields(**fields):
    return {"additional_body_parameters": fields}


def test_cohere_top_n(client):
    options = with_fields(documents_are="things")
    answer = client.rerank(model="m", query=QUERY, documents=TEXTS, top_n=2, request_options=options)
    assert [each.index for each in answer.results] == ranked()[:2]


def test_cohere_reads_only_the_first_words_of_each_document(client):
    texts = ["a b c onions", "a b c d", "a"]
    options = with_fields(documents_are="things")
    for words, best in ((3, 0), (4, 1)):
        answer = client.rerank(
            model="m", query=QUERY, documents=texts, max_tokens_per_doc=words, request_options=options
        )
        assert answer.results[0].index == best


def test_text_embeddings_inference_as_its_documentation_calls_it(server):
    body = json.dumps({"query": QUERY, "texts": TEXTS, "documents": "things"})
    command = ["curl", "-sS", f"{server.url}/rerank", "-X", "POST", "-d", body, "-H", "Content-Type: application/json"]
    answer = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert [each["index"] for each in answer] == ranked()
    assert all(set(each) == {"index", "score"} and 0 <= each["score"] <= 1 for each in answer)


def test_text_embeddings_inference_returns_texts_and_raw_scores(server):
    asked = {"query": QUERY, "texts": TEXTS, "documents": "things", "return_text": True, "raw_scores": True}
    answer = server.post("/rerank", asked).json()
    assert [each["text"] for each in answer] == [TEXTS[place] for place in ranked()]
    assert [each["score"] for each in answer] == [
        pytest.approx(each.score) for each in rerank(QUERY, TEXTS, documents="things")
    ]


@pytest.mark.parametrize("query", ["onion soup", "soup", "", "?"])
@pytest.mark.parametrize("count", [1, 3])
def test_a_query_without_operators_keeps_the_order(server, query, count):
    by_cohere = server.post("/v2/rerank", {"query": query, "documents": TEXTS[:count]}).json()["results"]
    by_tei = server.post("/rerank", {"query": query, "texts": TEXTS[:count]}).json()
    steps = [round((count - place) / count, 6) for place in range(count)]
    assert [(each["index"], each["relevance_score"]) for each in by_cohere] == list(enumerate(steps))
    assert [(each["index"], each["score"]) for each in by_tei] == list(enumerate(steps))


@pytest.mark.parametrize(
    ("path", "texts", "kind"), [("/v2/rerank", "documents", "documents_are"), ("/rerank", "texts", "documents")]
)
def test_our_own_fields(server, path, texts, kind):
    def results(query, **more):
        answer = server.post(path, {"query": query, texts: TEXTS, kind: "things"} | more).json()
        return answer["results"] if path == "/v2/rerank" else answer

    def order(query, **more):
        return [each["index"] for each in results(query, **more)]

    assert order("soup", exclude=["onions"]) == ranked(query="soup", exclude=["onions"]) != [0, 1, 2, 3]
    assert order(QUERY, exclude=[]) == order(QUERY, act=False) == [0, 1, 2, 3]
    assert order(QUERY, drop=True) == ranked(drop=True) and len(order(QUERY, drop=True)) == 2
    [best, *_] = results(QUERY, atoms=True)
    assert {(each["text"], each["sign"]) for each in best["atoms"]} == {("soup", 1), ("onions", -1)}
    assert "atoms" not in results(QUERY)[0]


def test_cohere_says_how_many_documents_were_dropped(server):
    asked = {"query": QUERY, "documents": TEXTS[:2], "documents_are": "things", "drop": True}
    answer = server.post("/v2/rerank", asked).json()
    assert (answer["results"], answer["dropped"]) == ([], 2)
    assert "dropped" not in server.post("/v2/rerank", asked | {"drop": False}).json()


def test_limits_and_mistakes_in_each_clients_form(server, client):
    most, longest = ServiceSettings().max_batch, ServiceSettings().max_text
    for texts, query, status, said in (
        (["a"] * (most + 1), "soup", 413, f"at most {most}"),
        (["a" * (longest + 1)], "soup", 413, f"at most {longest:,}"),
        (["a"], "a" * (longest + 1), 413, f"at most {longest:,}"),
        ([], "soup", 422, "no text to rank"),
        ("soup", "soup", 422, "list"),
        ([None], "soup", 422, "string"),
    ):
        cohere_says = server.post("/v2/rerank", {"query": query, "documents": texts})
        tei_says = server.post("/rerank", {"query": query, "texts": texts})
        assert cohere_says.status_code == tei_says.status_code == status
        assert said in cohere_says.json()["detail"] and said in tei_says.json()["error"]
        assert tei_says.json()["error_type"] == "Validation"
    with pytest.raises(cohere.errors.UnprocessableEntityError, match="no text to rank"):
        client.rerank(model="m", query="soup", documents=[])
    assert server.post("/rerank", {"query": "q", "texts": ["a" * 20_001], "truncate": False}).status_code == 413
    assert server.post("/rerank", {"query": "q", "texts": ["a" * 20_001]}).status_code == 200


def test_it_is_measured(server):
    server.post("/rerank", {"query": QUERY, "texts": TEXTS})
    measured = httpx.get(f"{server.url}/metrics").text
    assert 'te_request_count{method="POST",route="/rerank"}' in measured
    assert 'boolattn_stage_seconds_count{stage="reranking"}' in measured


def test_a_key_is_needed_and_its_rate_counts(tmp_path):
    key = add_key(tmp_path / "keys.json", "a", per_minute=6)
    upstream = "http://localhost:9"  # nothing embeds here: reranking needs no model
    with running(tmp_path, "--keys", str(tmp_path / "keys.json"), "--upstream", upstream) as server:
        for path, asked in (
            ("/v2/rerank", {"query": QUERY, "documents": TEXTS}),
            ("/rerank", {"query": QUERY, "texts": TEXTS}),
        ):
            assert server.post(path, asked).status_code == 401
        given = {"headers": {"Authorization": f"Bearer {key}"}}
        assert [server.post("/rerank", asked, **given).status_code for _ in range(2)] == [200, 429]
