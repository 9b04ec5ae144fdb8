"""Connections to Milvus: encrypted on request, with timeouts, and without leaking secrets."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import numpy as np
import pytest

from boolattn.retrieval.index.milvus import client
from boolattn.retrieval.index.milvus.client import MilvusServerError
from boolattn.retrieval.index.open_index import TOKEN_VARIABLE, open_index
from tests.retrieval.index.films import DESCRIPTION, films, same

ENCRYPTED = """
import sys
from boolattn.retrieval.index.open_index import open_index
from tests.retrieval.index.films import DESCRIPTION, films, same
index, rows = open_index(sys.argv[1]), films(["a", "b"])
index.create(DESCRIPTION)
index.upsert(rows)
print(same(index.fetch(["a", "b"]), rows))
index.drop()
"""


@contextmanager
def relayed(milvus, *certificate):
    """Carry connections to a server from another port."""
    to = milvus.uri.rpartition(":")[2]
    command = [sys.executable, str(Path(__file__).with_name("relay.py")), to, *map(str, certificate)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


def test_an_encrypted_connection(milvus, tmp_path):
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*made.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)

    def ask(uri, **trusted):
        command = [sys.executable, "-W", "ignore", "-c", ENCRYPTED, uri]
        return subprocess.run(
            command, capture_output=True, text=True, env=os.environ | trusted, cwd=Path(__file__).parents[3]
        )

    with relayed(milvus, certificate, key) as (_, port):
        trusted = ask(f"milvus+tls://127.0.0.1:{port}/tls", GRPC_DEFAULT_SSL_ROOTS_FILE_PATH=str(certificate))
        assert trusted.stdout == "True\n", trusted.stderr
        for refused in (ask(f"milvus+tls://127.0.0.1:{port}/tls"), ask(f"milvus://127.0.0.1:{port}/tls")):
            assert refused.returncode and "no Milvus server answers" in refused.stderr


def test_a_server_that_accepts_and_stays_silent(monkeypatch):
    monkeypatch.setattr(client, "CONNECT_TIMEOUT", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = monotonic()
        with pytest.raises(MilvusServerError, match="no Milvus server answers"):
            open_index(f"milvus://127.0.0.1:{silent.getsockname()[1]}/films")
        assert monotonic() - began < 30


def test_a_server_that_falls_silent(milvus, monkeypatch):
    with relayed(milvus) as (process, port):
        index, rows = open_index(f"milvus://127.0.0.1:{port}/silent"), films(["a", "b"])
        index.create(DESCRIPTION)
        index.upsert(rows)
        assert same(index.fetch(["a", "b"]), rows)
        monkeypatch.setattr(client, "CALL_TIMEOUT", 1.0)
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        began = monotonic()
        with pytest.raises(MilvusServerError, match="silent: search failed: Deadline Exceeded"):
            index.search(np.ones(4, np.float32), 1)
        assert monotonic() - began < 30
    open_index(f"{milvus.uri}/silent").drop()


def test_every_write_may_take_longer_than_other_calls():
    writes = ("insert", "upsert", "delete")
    assert all(client.LONG_TIMEOUTS.get(name, 0) > client.CALL_TIMEOUT for name in writes)


def test_a_token_is_not_repeated(milvus, monkeypatch):
    monkeypatch.setenv(TOKEN_VARIABLE, "root:s3cret")
    with pytest.warns(UserWarning, match=r"is not encrypted.*use milvus\+tls://") as warned:
        index = open_index(f"{milvus.uri}/not-a-name")
    assert "s3cret" not in str(warned[0].message)
    monkeypatch.setattr(index._client, "_token", "not-a-name")  # as if the server's message contained it
    with pytest.raises(MilvusServerError, match=r"has_collection failed.*\*\*\*") as failed:
        index.create(DESCRIPTION)
    assert "not-a-name" not in str(failed.value).partition(" failed")[2]
