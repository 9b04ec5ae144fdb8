"""Our reader in front of another server's model, in a process without torch."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import httpx
import numpy as np
import pytest
from fastapi.testclient import TestClient

from boolattn import signed_vectors
from boolattn.service.app import create_app
from boolattn.service.jobs import Encoded, Job, TextTooLongError
from boolattn.service.settings import ServiceSettings
from boolattn.service.upstream import UpstreamEncoder
from tests.hub_cache import NAME
from tests.retrieval.search.vietnam import QUERY
from tests.service.running import ROOT, Running, running

TEXTS = [QUERY, "war films", "python web frameworks other than django", "a"]
LONG = "word " * 400  # the upstream server's model reads 256 tokens
WITHOUT_TORCH = """
import sys
sys.modules |= dict.fromkeys(("torch", "transformers", "sentence_transformers"))  # importing them fails
from boolattn.cli import app
app(sys.argv[1:])
"""


@pytest.fixture(scope="module", params=["openai", "tei"])
def proxy(request, server, tmp_path_factory) -> Iterator[Running]:
    """The service in front of the other one, which gives it the plain model's vectors."""
    flags = ["--upstream", server.url, "--upstream-kind", request.param, "--upstream-model", NAME]
    command = [sys.executable, "-c", WITHOUT_TORCH, "serve", "--port", "0", *flags]
    with running(tmp_path_factory.mktemp("proxy"), command=command) as found:
        yield found


def test_queries_get_signed_vectors(proxy, plain):
    answer = proxy.post("/v1/embeddings", {"input": TEXTS, "model": "m-query", "reading": True}).json()
    found = np.array([row["embedding"] for row in answer["data"]], np.float32)
    expected = signed_vectors(TEXTS, lambda texts: np.stack([plain.encode(text) for text in texts]))
    assert np.allclose(found, expected, atol=1e-6)
    assert [row["reading"]["acted_on"] for row in answer["data"]] == [["war"], [], ["django"], []]


def test_documents_pass_unchanged(proxy, server):
    documents = [proxy.post("/v1/embeddings", {"input": TEXTS, "model": "m"}).json()["data"][n] for n in range(4)]
    theirs = server.post("/v1/embeddings", {"input": TEXTS, "model": "m"}).json()["data"]
    assert np.allclose([row["embedding"] for row in documents], [row["embedding"] for row in theirs], atol=1e-6)


def test_what_needs_a_local_model_says_so(proxy):
    assert proxy.post("/v1/read", {"query": QUERY}).json()["acts"]
    assert proxy.post("/v1/explain", {"query": QUERY}).status_code == 404
    assert proxy.post("/v1/search", {"query": QUERY}).status_code == 404


@pytest.mark.parametrize(
    ("path", "body"),
    [("/embed", {"inputs": LONG, "truncate": False}), ("/v2/embed", {"texts": [LONG], "truncate": "NONE"})],
)
def test_a_text_that_must_not_be_truncated_is_refused(server, path, body):
    with TestClient(create_app(ServiceSettings(upstream=server.url, upstream_kind="tei"))) as client:
        refused = client.post(path, json=body)
        assert refused.status_code == 413 and "402 tokens" in refused.text and "256" in refused.text
        assert client.post(path, json={name: each for name, each in body.items() if name != "truncate"}).is_success


@pytest.mark.parametrize(
    ("path", "body"),
    [("/embed", {"inputs": "a", "truncate": False}), ("/v2/embed", {"texts": ["a"], "truncate": "NONE"})],
)
def test_a_protocol_that_always_truncates_is_named(server, path, body):
    with TestClient(create_app(ServiceSettings(upstream=server.url))) as client:
        refused = client.post(path, json=body)
        assert refused.status_code == 422 and "--upstream-kind tei" in refused.text


def test_texts_of_one_batch_may_differ_in_whether_they_are_truncated(server):
    encoder = UpstreamEncoder(ServiceSettings(upstream=server.url, upstream_kind="tei"))
    jobs = [
        Job(text, role, truncate=truncate)
        for text in (LONG, "war films", f"{LONG} but not war", QUERY)
        for role in ("document", "query")
        for truncate in (True, False)
    ]
    together, alone = encoder.encode(jobs), [encoder.encode([job])[0] for job in jobs]
    for job, found, expected in zip(jobs, together, alone, strict=True):
        refused = not job.truncate and LONG in job.text
        assert isinstance(found, TextTooLongError if refused else Encoded), (job, found)
        assert refused or np.allclose(found.vector, expected.vector, atol=1e-6)


def test_an_upstream_server_that_is_down(tmp_path):
    with running(tmp_path, "--upstream", "http://127.0.0.1:9") as server:
        refused = server.post("/v1/embeddings", {"input": "a", "model": "m-query"})
        assert refused.status_code == 503 and int(refused.headers["retry-after"]) >= 1
        assert httpx.get(f"{server.url}/healthz").status_code == 200


def test_the_light_installation_names_the_extra():
    light = ROOT / ".venv-light" / "bin" / "python"
    if not light.exists():
        pytest.skip("needs .venv-light, which .ci/setup makes")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = subprocess.run([light, "-m", "boolattn", "serve"], capture_output=True, text=True, env=environment)
    assert run.returncode == 2 and "boolattn[serve]" in run.stderr, json.dumps(run.stderr)
