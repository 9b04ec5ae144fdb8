"""An index that does not answer stalls no other one: while it is opened, refreshed or asked."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

from boolattn.retrieval.index.open_index import open_index
from tests.retrieval.search.vietnam import QUERY
from tests.service.conftest import filled
from tests.service.running import LONGEST_START, running

CLIENTS = 12  # more than the threads of an index
PATIENCE = ["--timeout", "20", "--max-wait", "60"]


@pytest.fixture
def silent():
    """The address of an index on a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as server:
        yield f"milvus://127.0.0.1:{server.getsockname()[1]}/films"


def search(server, index):
    return server.post("/v1/search", {"query": QUERY, "k": 3, "index": index})


@contextmanager
def clients_of(server, index):
    """Search an index that does not answer, and wait until all its threads are taken."""
    with ThreadPoolExecutor(CLIENTS) as threads:
        asked = [threads.submit(search, server, index) for _ in range(CLIENTS)]
        time.sleep(1)
        yield asked


def require_answers_of_healthy(server, asked):
    for _ in range(5):
        answer = search(server, "healthy")
        assert answer.status_code == 200, answer.text
    assert not any(each.done() for each in asked)
    assert all(each.result().status_code in (503, 504) for each in asked)


def until_started(server):
    deadline = time.monotonic() + LONGEST_START
    while time.monotonic() < deadline:
        try:
            return httpx.get(f"{server.url}/healthz", timeout=20).raise_for_status()
        except httpx.TransportError:
            time.sleep(0.2)
    raise AssertionError(server.log.read_text())


def test_one_that_is_being_opened(model, vectors, silent, tmp_path):
    healthy = filled(f"lance://{tmp_path}/films", vectors)
    indexes = ["--index", f"dead={silent}", "--index", f"healthy={healthy}"]
    with running(tmp_path, *indexes, *PATIENCE, ready=False) as server:
        until_started(server)
        assert "index dead: " in server.log.read_text()
        with clients_of(server, "dead") as asked:
            require_answers_of_healthy(server, asked)


def test_one_that_is_being_refreshed(model, vectors, milvus, tmp_path):
    hanging, healthy = filled(f"{milvus.uri}/hanging", vectors), filled(f"lance://{tmp_path}/films", vectors)
    indexes = ["--index", f"hanging={hanging}", "--index", f"healthy={healthy}"]
    with running(tmp_path, *indexes, *PATIENCE) as server:
        assert search(server, "hanging").status_code == search(server, "healthy").status_code == 200
        new = {"index": "hanging", "documents": [{"id": "new", "text": "A new film."}]}
        assert httpx.put(f"{server.url}/v1/documents", json=new, timeout=60).status_code == 200
        milvus.hang()  # the next search refreshes the index first, because documents were written
        try:
            with clients_of(server, "hanging") as asked:
                require_answers_of_healthy(server, asked)
        finally:
            milvus.go_on()
    open_index(hanging).drop()
