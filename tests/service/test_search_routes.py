"""Search, reading, explanations and documents over HTTP equal the library's."""

import dataclasses
import json

import httpx
import pytest

from boolattn import Searcher, explain, open_index
from boolattn.explanation.words import remark
from boolattn.retrieval.search.searcher import SearchSettings
from tests.retrieval.search.vietnam import QUERY, WAR
from tests.service.conftest import filled
from tests.service.running import running


@pytest.fixture(scope="module")
def searcher(model, vectors, tmp_path_factory):
    return Searcher(model, open_index(filled(f"lance://{tmp_path_factory.mktemp('own')}/films", vectors)))


def as_json(hits):
    return json.loads(json.dumps([dataclasses.asdict(hit) for hit in hits]))


@pytest.mark.parametrize("query", [QUERY, "a love story", "cowboys NOT space"])
def test_search_equals_the_library(server, searcher, query):
    answer = server.post("/v1/search", {"query": query, "k": 5, "plain": True}).json()
    reading = searcher.read(query)
    assert answer["hits"] == as_json(searcher.search(reading, 5))
    assert answer["reading"] == reading.to_dict() and answer["plan"] == searcher.plan(reading).to_dict()
    plain = Searcher(server_model(searcher), searcher.index, settings=SearchSettings(plan=False))
    assert answer["plain"] == as_json(plain.search(query, 5))
    assert answer["acts"] == bool(searcher.plan(reading).negatives)


def server_model(searcher):
    return searcher._plain


def test_options_of_a_search(server, searcher):
    def found(**more):
        return [hit["doc_id"] for hit in server.post("/v1/search", {"query": QUERY, "k": 6} | more).json()["hits"]]

    def expected(**more):
        settings = SearchSettings(**more.pop("settings", {}))
        reading = searcher._read_to_act(QUERY)
        vectors = searcher._vectors(reading, searcher.plan(reading))
        own = searcher.with_vector(vectors[0], vectors[-1], settings=settings)
        return [hit.doc_id for hit in own.search(QUERY, 6, **more)]

    assert found() == expected() and not WAR & set(found()[:3])
    assert found(hybrid=True, strength=2) == expected(settings={"text": True, "strength": 2})
    assert found(act=False) == found(exclude=[]) != found()
    assert found(exclude=["Vietnam"]) != found()
    assert set(found(where=["words<=8"])) < set(found(k=10))
    bad = server.post("/v1/search", {"query": QUERY, "where": ["nothing=1"]})
    assert bad.status_code == 422 and "nothing" in bad.json()["detail"]


def test_every_surface_says_in_the_same_words_why_nothing_is_excluded(server, searcher, model):
    query = "why is there no river"
    [told] = searcher.read(query).remarks
    assert told.startswith('Nothing is excluded: the reader takes "no"')
    for path in ("/v1/read", "/v1/search"):
        assert server.post(path, {"query": query}).json()["reading"]["remarks"] == [told]
    embedded = {"inputs": query, "prompt_name": "query", "reading": True}
    assert server.post("/embed", embedded).json()["readings"][0]["remarks"] == [told]
    assert server.post("/v1/explain", {"query": query}).json()["explanation"]["reading"]["remarks"] == [told]
    assert remark(explain(model, query), []) == told


def test_read_and_explain(server, model):
    read = server.post("/v1/read", {"query": QUERY}).json()
    reading = model.options.decided(model.options.read([QUERY])[0])
    plan = model.options.applied(reading).plan()
    assert read == {"reading": reading.to_dict(), "plan": plan.to_dict(), "acts": True}
    assert not server.post("/v1/read", {"query": QUERY, "act": False}).json()["acts"]
    explained = server.post("/v1/explain", {"query": QUERY}).json()["explanation"]
    assert explained == json.loads(json.dumps(explain(model, QUERY).to_dict()))


def test_documents_are_found_once_they_are_acknowledged(model, vectors, tmp_path):
    uri = filled(f"lance://{tmp_path}/films", vectors)
    with running(tmp_path, "--index", f"one={uri}", "--workers", "2") as server:
        for number in range(20):
            name, text = f"new-{number}", f"A documentary about subject {number} of the zebra {number * 7919}."
            new = {"id": name, "title": "Zebra", "text": text, "metadata": {"words": 9}}
            written = httpx.put(f"{server.url}/v1/documents", json={"documents": [new]}, timeout=60)
            assert written.json() == {"index": "one", "documents": 1}
            hit = server.post("/v1/search", {"query": text, "k": 1}).json()["hits"][0]  # by whichever worker
            assert (hit["doc_id"], hit["title"], hit["text"], hit["metadata"]) == (name, "Zebra", text, {"words": 9})
        gone = httpx.request("DELETE", f"{server.url}/v1/documents", json={"ids": ["new-3", "none"]}, timeout=60)
        assert gone.status_code == 200
        for _ in range(6):
            hits = server.post("/v1/search", {"query": "zebra", "k": 100}).json()["hits"]
            assert "new-3" not in {hit["doc_id"] for hit in hits} and len(hits) == 29
    assert open_index(uri).count() == 29


def test_documents_that_do_not_fit_are_refused(server):
    def put(*documents):
        return httpx.put(f"{server.url}/v1/documents", json={"documents": list(documents)}, timeout=60)

    assert put({"id": "x", "text": "t", "metadata": {"unknown": 1}}).status_code == 422
    assert put({"id": "x", "text": "t", "metadata": {"words": "many"}}).status_code == 422
    assert put({"id": "x", "text": "t"}, {"id": "x", "text": "u"}).status_code == 422
    assert put().status_code == 422
    assert put({"text": "t"}).status_code == 422


def test_metrics_count_what_was_read(server):
    def value(name):
        text = httpx.get(f"{server.url}/metrics").text
        return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name))

    names = [
        'te_request_count{method="POST",route="/v1/read"}',
        'te_request_success{method="POST",route="/v1/read"}',
        'boolattn_queries_total{source="learned"}',
        'boolattn_readings_total{operator="not",source="learned"}',
        'boolattn_exclusions_total{acted="true",kind="topic",source="learned"}',
        'boolattn_stage_seconds_count{stage="reading"}',
    ]
    before = [value(name) for name in names]
    server.post("/v1/read", {"query": QUERY})
    assert [value(name) for name in names] == [each + 1 for each in before]
    failures = 'te_request_failure{err="422",method="POST",route="/v1/read"}'
    before = value(failures)
    server.post("/v1/read", {})
    assert value(failures) == before + 1
    for name in ("te_queue_size", "te_batch_next_size_count", 'boolattn_stage_seconds_count{stage="engine"}'):
        assert name in httpx.get(f"{server.url}/metrics").text
