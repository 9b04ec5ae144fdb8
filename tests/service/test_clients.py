"""Real clients against the running service: their vectors are the library's, bit for bit."""

import base64
import json
import os
import subprocess
import sys

import cohere
import httpx
import numpy as np
import openai
import pytest
from fastapi.testclient import TestClient
from langchain_openai import OpenAIEmbeddings

from boolattn import signed_vectors
from boolattn.backbones.retrieval_model import document_encoder
from boolattn.service.app import create_app
from boolattn.service.settings import ServiceSettings
from tests.hub_cache import NAME
from tests.retrieval.search.vietnam import QUERY
from tests.service.test_batching import Recorder

QUERY_NAME = f"{NAME}-query"
TEXTS = [QUERY, "war films", "python web frameworks other than django", "how to cook rice without a rice cooker", "a"]

# In a process of its own: tests work offline, and offline this client refuses even this machine.
HUGGING_FACE = """
import json, sys
from huggingface_hub import InferenceClient
url, prompt, texts = json.loads(sys.argv[1])
client = InferenceClient(url)
print(json.dumps([client.feature_extraction(text, prompt_name=prompt)[0].tolist() for text in texts]))
"""


def library(model, texts, role="query", **how):
    """Return what the library gives each text alone."""
    encode = model.encode_query if role == "query" else document_encoder(model).encode_document
    return np.stack([encode(text, **how) for text in texts])


@pytest.fixture
def client(server):
    return openai.OpenAI(base_url=f"{server.url}/v1", api_key="any", max_retries=0)


@pytest.mark.parametrize(("name", "role"), [(QUERY_NAME, "query"), (NAME, "document")])
@pytest.mark.parametrize("form", ["float", "base64", None])
def test_openai(client, model, name, role, form):
    asked = {} if form is None else {"encoding_format": form}
    answer = client.embeddings.create(model=name, input=TEXTS, **asked)
    found = [row.embedding for row in answer.data]
    if form == "base64":
        found = [np.frombuffer(base64.b64decode(each), "<f4") for each in found]
    assert np.array_equal(np.array(found, np.float32), library(model, TEXTS, role))
    assert answer.model == name and answer.usage.prompt_tokens == answer.usage.total_tokens > len(TEXTS)


def test_float_and_base64_agree_to_the_last_bit(server):
    asked = {"model": QUERY_NAME, "input": QUERY}
    floats, coded = (
        server.post("/v1/embeddings", asked | {"encoding_format": form}).json()["data"][0]["embedding"]
        for form in ("float", "base64")
    )
    assert floats == np.frombuffer(base64.b64decode(coded), "<f4").astype(np.float64).tolist()


def test_only_queries_that_exclude_something_differ_from_the_plain_model(client, plain):
    answer = client.embeddings.create(model=QUERY_NAME, input=TEXTS)
    same = [np.array_equal(row.embedding, plain.encode(text)) for row, text in zip(answer.data, TEXTS, strict=True)]
    assert same == [False, True, False, True, True]


def test_dimensions(client, model, server):
    answer = client.embeddings.create(model=QUERY_NAME, input=TEXTS[:2], dimensions=64)
    expected = library(model, TEXTS[:2], truncate_dim=64, normalize_embeddings=True)
    assert np.array_equal(np.array([row.embedding for row in answer.data], np.float32), expected)
    assert server.post("/v1/embeddings", {"input": "a", "dimensions": 385}).status_code == 422


def test_models(client):
    assert [each.id for each in client.models.list()] == [NAME, QUERY_NAME]


def test_langchain_with_one_instance_per_role(server, model):
    where = {"base_url": f"{server.url}/v1", "api_key": "any", "check_embedding_ctx_length": False}
    documents, queries = (OpenAIEmbeddings(model=name, **where) for name in (NAME, QUERY_NAME))
    assert np.array_equal(np.array(documents.embed_documents(TEXTS), np.float32), library(model, TEXTS, "document"))
    assert np.array_equal(np.array(queries.embed_query(QUERY), np.float32), model.encode_query(QUERY))


@pytest.mark.parametrize("tokens", [[1, 2, 3], [[1, 2], [3]]])
def test_token_ids_are_refused_with_the_fix(client, tokens):
    with pytest.raises(openai.UnprocessableEntityError, match="check_embedding_ctx_length=False"):
        client.embeddings.create(model=NAME, input=tokens)


@pytest.mark.parametrize(("prompt", "role"), [("query", "query"), (None, "document")])
def test_hugging_face_inference_client(server, model, prompt, role):
    environment = {name: value for name, value in os.environ.items() if name != "HF_HUB_OFFLINE"}
    asked = json.dumps([server.url, prompt, TEXTS])
    run = subprocess.run([sys.executable, "-c", HUGGING_FACE, asked], capture_output=True, env=environment, check=True)
    expected = library(model, TEXTS, role, normalize_embeddings=True)
    assert np.array_equal(np.array(json.loads(run.stdout), np.float32), expected)


def test_tei_answers_a_bare_list(server, model):
    answer = server.post("/embed", {"inputs": TEXTS, "prompt_name": "query", "normalize": False})
    assert np.array_equal(np.array(answer.json(), np.float32), library(model, TEXTS))
    assert httpx.get(f"{server.url}/health").status_code == 200
    assert httpx.get(f"{server.url}/info").json()["max_input_length"] == 256


def test_tei_refuses_what_it_must_not_truncate(server):
    long = {"inputs": "word " * 400}
    assert server.post("/embed", long).status_code == 200
    refused = server.post("/embed", long | {"truncate": False})
    assert refused.status_code == 413 and refused.json()["error_type"] == "Validation"
    assert "256" in refused.json()["error"]


@pytest.mark.parametrize(("kind", "role"), [("search_query", "query"), ("search_document", "document")])
def test_cohere(server, model, kind, role):
    client = cohere.ClientV2(api_key="any", base_url=server.url)
    answer = client.embed(texts=TEXTS, model=NAME, input_type=kind, embedding_types=["float", "base64"])
    expected = library(model, TEXTS, role)
    assert np.array_equal(np.array(answer.embeddings.float_, np.float32), expected)
    coded = answer.embeddings.base64
    assert np.array_equal([np.frombuffer(base64.b64decode(each), "<f4") for each in coded], expected)


def test_curl(server, model):
    body = json.dumps({"input": QUERY, "model": QUERY_NAME})
    command = ["curl", "-sS", f"{server.url}/v1/embeddings", "-H", "Content-Type: application/json", "-d", body]
    answer = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert np.array_equal(np.array(answer["data"][0]["embedding"], np.float32), model.encode_query(QUERY))


@pytest.mark.parametrize(
    ("path", "asked", "found"),
    [
        ("/v1/embeddings", {"input": [QUERY], "model": "m-query"}, lambda answer: answer["data"][0]["reading"]),
        ("/embed", {"inputs": [QUERY], "prompt_name": "query"}, lambda answer: answer["readings"][0]),
        ("/v2/embed", {"texts": [QUERY], "input_type": "search_query"}, lambda answer: answer["readings"][0]),
    ],
)
def test_the_reading_is_returned_on_request(server, model, path, asked, found):
    reading = found(server.post(path, asked | {"reading": True}).json())
    expected = model.options.decided(model.options.read([QUERY])[0])
    assert reading == expected.to_dict() | {"acted_on": ["war"]}
    assert reading["reader"].split()[-1].isdecimal()  # its version


def test_exclude_act_and_strictness_reach_the_vector(server, plain):
    def found(**more):
        answer = server.post("/v1/embeddings", {"input": ["war films"], "model": "m-query"} | more)
        return np.array(answer.json()["data"][0]["embedding"], np.float32)

    excluding = found(exclude=[["war"]])
    assert np.array_equal(excluding, signed_vectors(["war films"], plain.encode_query, exclude=["war"])[0])
    assert np.array_equal(found(exclude=[["war"]], act=False), found())
    assert not np.array_equal(excluding, found())
    refused = server.post("/v1/embeddings", {"input": ["war films"], "model": "m", "exclude": [["war"]]})
    assert refused.status_code == 422 and "documents" in refused.json()["detail"]


@pytest.mark.parametrize("name", [f"{NAME}-qurey", f"{NAME}_query", f"{NAME}Query"])
def test_a_mistyped_model_name_is_refused_instead_of_embedding_a_query_as_a_document(server, name):
    answer = server.post("/v1/embeddings", {"input": "films but not war", "model": name})
    assert answer.status_code == 404 and f"use {QUERY_NAME} for queries" in answer.json()["detail"]


def test_a_model_whose_own_name_ends_like_a_mistyped_one_embeds_documents():
    encoder = Recorder()
    encoder.name = "bigquery"
    with TestClient(create_app(ServiceSettings(), encoder)) as client:
        assert client.post("/v1/embeddings", json={"input": "films", "model": "bigquery"}).status_code == 200
        assert client.post("/v1/embeddings", json={"input": "films", "model": "bigquery_query"}).status_code == 404


def test_clients_may_keep_the_name_of_their_own_model_for_documents(server, plain):
    answer = server.post("/v1/embeddings", {"input": "films", "model": "text-embedding-3-small"}).json()
    assert answer["data"][0]["embedding"] == plain.encode("films").tolist()


def test_a_missing_content_type_is_named(server):
    answer = httpx.post(server.url + "/v1/embeddings", content=b'{"input": "films", "model": "m"}', timeout=60)
    assert answer.status_code == 422 and "Content-Type: application/json" in answer.json()["detail"]
