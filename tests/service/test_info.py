"""What /info says about the model is true."""

import httpx
import pytest
from fastapi.testclient import TestClient

from boolattn.service.app import create_app
from boolattn.service.settings import ServiceSettings
from tests.backbones.tiny import tiny
from tests.service.test_batching import sentence_model


def pooling_said(settings):
    with TestClient(create_app(settings)) as client:
        return client.get("/info").json()["model_type"]["embedding"]["pooling"]


@pytest.mark.parametrize(
    ("pooling", "said"),
    [("cls", "cls"), ("lasttoken", "last_token"), (("cls", "max"), "cls+max")],
    ids=["cls", "last token", "two at once"],
)
@pytest.mark.parametrize("prefix", ["", "training-free:"], ids=["plain", "Boolean"])
def test_the_pooling_is_that_of_the_model(pooling, said, prefix, minilm_tokenizer, tmp_path):
    encoder = tiny("bert")
    encoder.resize_token_embeddings(len(minilm_tokenizer))
    sentence_model(encoder, minilm_tokenizer, pooling).save(str(tmp_path))
    assert pooling_said(ServiceSettings(model=f"{prefix}{tmp_path}")) == said


def test_the_default_model_pools_by_the_mean(server):
    assert httpx.get(f"{server.url}/info").json()["model_type"] == {"embedding": {"pooling": "mean"}}


def test_the_pooling_of_an_upstream_server_is_not_known():
    assert pooling_said(ServiceSettings(upstream="http://127.0.0.1:9")) is None
