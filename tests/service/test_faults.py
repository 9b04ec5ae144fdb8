"""What clients see when something fails: a worker, the disk, the engine, or the service itself at its end."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn

from boolattn.retrieval.index.open_index import open_index
from boolattn.service import server as server_module
from tests.retrieval.search.vietnam import QUERY
from tests.service.conftest import filled
from tests.service.running import running

CLIENTS = 8
BODY = {"input": "films set in Vietnam", "model": "m-query"}


class Load:
    """Clients that ask until they are told to stop, or until the service refuses connections."""

    def __init__(self, url):
        self.url, self.seen, self.stop = url, Counter(), threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(CLIENTS)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error):
        self.stop.set()
        for thread in self._threads:
            thread.join()

    def wait(self, answers):
        deadline = time.monotonic() + 200
        wanted = self.seen[200] + answers
        while self.seen[200] < wanted:
            assert time.monotonic() < deadline, self.seen
            time.sleep(0.05)

    def _ask(self):
        with httpx.Client(timeout=60) as client:
            while not self.stop.is_set():
                try:
                    self.seen[client.post(self.url + "/v1/embeddings", json=BODY).status_code] += 1
                except httpx.ConnectError:
                    self.seen["refused"] += 1
                    time.sleep(0.05)
                except httpx.TransportError as error:
                    self.seen[f"lost: {error!r}"] += 1


@pytest.mark.parametrize("workers", ["1", "2"])
def test_no_accepted_request_is_lost_at_the_end(model, tmp_path, workers):
    with (
        TemporaryDirectory() as temporary,  # a short path, as a socket's must be
        # However slow the machine is, no request waits too long and gets 429.
        running(tmp_path, "--workers", workers, "--max-wait", "200", TMPDIR=temporary) as server,
        Load(server.url) as load,
    ):
        assert list(Path(temporary).glob("boolattn-*"))
        load.wait(40)
        before = load.seen[200]
        assert server.terminate() in (0, -signal.SIGTERM)
        load.stop.set()
        assert not list(Path(temporary).glob("boolattn-*"))
    assert load.seen[200] > before  # it served on while it ended
    assert set(load.seen) <= {200, "refused"}, load.seen


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can ignore new connections")
def test_no_client_connects_between_the_last_accept_and_the_close(monkeypatch):
    async def app(scope, receive, send):
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})

    app.state = SimpleNamespace(service=SimpleNamespace(settings=SimpleNamespace(drain=0)))
    accept_all, attempts = server_module._waiting_in, []

    def accept_all_then_connect(listening):
        yield from accept_all(listening)
        attempts.append(_connects(listening.getsockname()))

    monkeypatch.setattr(server_module, "_waiting_in", accept_all_then_connect)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, workers=1, lifespan="on")
    listening = config.bind_socket()
    address = listening.getsockname()
    service = server_module.DrainingServer(config)
    thread = threading.Thread(target=service.run, args=([listening],), daemon=True)
    thread.start()
    while not service.started:
        assert thread.is_alive()
        time.sleep(0.01)
    assert _connects(address)
    service.should_exit = True
    thread.join()
    assert attempts == [False]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)


def _connects(address):
    try:
        socket.create_connection(address, timeout=0.5).close()
    except TimeoutError:
        return False
    return True


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="Python itself then uses another folder")
def test_a_temporary_folder_whose_path_is_too_long_for_a_socket(model, tmp_path):
    temporary = tmp_path / ("long" * 30)
    temporary.mkdir()
    run = subprocess.run(
        [sys.executable, "-m", "boolattn", "serve", "--workers", "2", "--port", "0"],
        env=os.environ | {"TMPDIR": str(temporary), "COLUMNS": "400"},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert run.returncode == 2 and "set TMPDIR to a folder with a shorter one" in run.stderr, run.stderr


def test_an_idle_connection_stays_open_longer_than_uvicorn_would_keep_it(server):
    address = urlsplit(server.url)
    connection = HTTPConnection(address.hostname, address.port, timeout=60)
    connection.request("GET", "/healthz")
    connection.getresponse().read()
    used = connection.sock
    time.sleep(6)  # uvicorn's own limit is 5 s, a load balancer's mostly 60
    connection.request("GET", "/healthz")
    answer = connection.getresponse()
    assert answer.read() and answer.status == 200 and connection.sock is used is not None
    connection.close()


def test_a_killed_worker_is_replaced(model, tmp_path):
    with running(tmp_path, "--workers", "2") as server, Load(server.url) as load:
        load.wait(20)
        killed, other = server.workers()
        os.kill(killed, signal.SIGKILL)
        load.wait(20)  # the other one serves on
        deadline = time.monotonic() + 200
        while len(server.workers()) < 2 or killed in server.workers():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert other in server.workers()
        load.wait(20)
        load.stop.set()
        lost = sum(count for outcome, count in load.seen.items() if str(outcome).startswith("lost"))
        assert lost <= CLIENTS, load.seen  # those that it was just serving
        assert {outcome for outcome in load.seen if isinstance(outcome, int)} == {200}
    # What waited in the dead worker no longer counts.
    assert lost <= CLIENTS


def test_a_full_disk(model, vectors, tmp_path):
    """In a namespace of its own, the index lies on a disk of four megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    filled(f"lance://{tmp_path}/made/films", vectors)
    flags = f"--port 0 --index lance://{disk}/films"
    script = (
        f"mount -t tmpfs -o size=4m none {disk} && cp -r {tmp_path}/made/films.lance {disk}/ && "
        f"exec {sys.executable} -m boolattn serve {flags}"
    )
    with running(tmp_path, command=["unshare", "--map-root-user", "--mount", "sh", "-c", script]) as server:
        acknowledged, refused = [], None
        for number in range(200):
            new = {"id": f"big-{number}", "text": f"zebra {number} " + os.urandom(20_000).hex()}
            answer = httpx.put(f"{server.url}/v1/documents", json={"documents": [new]}, timeout=60)
            if answer.status_code != 200:
                refused = answer
                break
            acknowledged.append(new["id"])
        assert refused is not None and refused.status_code == 507 and acknowledged
        assert "full" in refused.json()["detail"] and str(tmp_path) not in refused.text
        found = server.post("/v1/search", {"query": "zebra", "k": 500}).json()["hits"]
        assert {hit["doc_id"] for hit in found} >= set(acknowledged)
        assert server.post("/v1/embeddings", BODY).status_code == 200


@pytest.fixture(scope="module")
def on_milvus(model, vectors, milvus, tmp_path_factory):
    uri = filled(f"{milvus.uri}/service", vectors)
    with running(tmp_path_factory.mktemp("on-milvus"), "--index", uri, "--timeout", "3") as server:
        yield server
    open_index(uri).drop()


def search(server):
    return server.post("/v1/search", {"query": QUERY, "k": 3})


def until(server, status, seconds=120):
    deadline = time.monotonic() + seconds
    while (answer := search(server)).status_code != status:
        assert time.monotonic() < deadline, answer.text
        time.sleep(0.5)
    return answer


def test_an_engine_that_dies_and_returns(on_milvus, milvus):
    new = {"id": "zebra", "text": "A zebra in Hanoi."}
    assert httpx.put(f"{on_milvus.url}/v1/documents", json={"documents": [new]}, timeout=60).status_code == 200
    before = search(on_milvus)
    assert before.status_code == 200
    milvus.kill()
    try:
        answer = search(on_milvus)
        assert answer.status_code in (503, 504)
        answer = until(on_milvus, 503)
        assert int(answer.headers["retry-after"]) >= 1 and "127.0.0.1" not in answer.text
        assert httpx.get(f"{on_milvus.url}/readyz", timeout=30).status_code in (503, 504)
        assert httpx.get(f"{on_milvus.url}/healthz").status_code == 200
        assert on_milvus.post("/v1/embeddings", BODY).status_code == 200
    finally:
        milvus.start()
    assert until(on_milvus, 200).json()["hits"] == before.json()["hits"]
    found = on_milvus.post("/v1/search", {"query": "zebra", "k": 1}).json()["hits"]
    assert found[0]["doc_id"] == "zebra"  # what was acknowledged is there


def test_an_engine_that_hangs(on_milvus, milvus):
    assert until(on_milvus, 200)
    milvus.hang()
    try:
        begun = time.monotonic()
        assert search(on_milvus).status_code == 504
        assert time.monotonic() - begun < 10
        assert on_milvus.post("/v1/embeddings", BODY).status_code == 200
    finally:
        milvus.go_on()
    assert until(on_milvus, 200)


def test_an_index_that_is_not_there_yet(model, vectors, tmp_path):
    uri = f"lance://{tmp_path}/later/films"
    with running(tmp_path, "--index", uri, ready=False) as server:
        deadline = time.monotonic() + 300
        while True:
            try:
                assert httpx.get(f"{server.url}/readyz", timeout=30).status_code == 503
                break
            except httpx.TransportError:
                assert time.monotonic() < deadline
                time.sleep(0.2)
        assert "index films: there is no index" in server.log.read_text()
        answer = search(server)
        assert answer.status_code == 503 and "'films' does not exist" in answer.json()["detail"]
        filled(uri, vectors)
        assert search(server).status_code == 200
        assert httpx.get(f"{server.url}/readyz", timeout=30).status_code == 200
