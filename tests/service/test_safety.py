"""Keys, scopes, rates and limits: what must be refused is refused."""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from typer.testing import CliRunner

from boolattn.cli import app
from boolattn.service.keys import KeyFileError, Keys, add_key, read_keys
from boolattn.service.rate_limits import SharedRateLimits
from boolattn.service.settings import SettingsError, load_settings
from tests.hub_cache import NAME
from tests.service.conftest import filled
from tests.service.running import running, settings_shown

EMBED = {"input": "war films", "model": "m-query"}


@pytest.fixture(scope="module")
def guarded(model, vectors, tmp_path_factory):
    """A service of two workers with keys: to read, to write, and a slow one."""
    folder = tmp_path_factory.mktemp("guarded")
    file = folder / "keys.json"
    keys = {
        "read": add_key(file, "reader"),
        "write": add_key(file, "writer", ("read", "write")),
        "slow": add_key(file, "slow", per_minute=60),
    }
    flags = ["--keys", str(file), "--workers", "2", "--max-body", "100000", "--max-batch", "8", "--max-text", "20000"]
    uri = filled(f"lance://{folder}/index/films", vectors)
    with running(folder, "--index", uri, "--max-k", "50", *flags) as found:
        yield found, keys


def asked(guarded, key, body=EMBED, path="/v1/embeddings", method="POST"):
    server, keys = guarded
    headers = {} if key is None else {"Authorization": f"Bearer {keys.get(key, key)}"}
    return httpx.request(method, server.url + path, json=body, headers=headers, timeout=30)


def test_no_key_and_a_wrong_key(guarded):
    for key in (None, "wrong", "ba_"):
        refused = asked(guarded, key)
        assert refused.status_code == 401 and refused.headers["www-authenticate"] == "Bearer"
    assert asked(guarded, "read").status_code == 200


@pytest.mark.parametrize("path", ["/embed", "/v2/embed", "/v1/search", "/v1/read", "/v1/explain", "/"])
def test_every_route_with_content_needs_a_key(guarded, path):
    assert asked(guarded, None, path=path).status_code == 401


def test_metrics_and_models_need_a_key_and_probes_do_not(guarded):
    status = {path: asked(guarded, None, path=path, method="GET").status_code
              for path in ("/metrics", "/v1/models", "/info", "/healthz", "/readyz", "/health")}  # fmt: skip
    assert status == {"/metrics": 401, "/v1/models": 401, "/info": 401, "/healthz": 200, "/readyz": 200, "/health": 200}


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_a_read_key_does_not_write(guarded, method):
    body = {"documents": [{"id": "new", "text": "New."}], "ids": ["platoon"]}
    assert asked(guarded, "read", body, "/v1/documents", method).status_code == 403
    assert (
        asked(guarded, "write", {"query": "soldiers in Vietnam", "k": 1}, "/v1/search").json()["hits"][0]["doc_id"]
        == "platoon"
    )


def test_the_rate_is_shared_by_both_workers(guarded):
    """Sixty a minute: ten at once, then one a second; each connection may reach the other worker."""
    begun = time.monotonic()
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: asked(guarded, "slow", path="/v1/models", method="GET"), range(40)))
    seconds = time.monotonic() - begun
    allowed = [answer for answer in answers if answer.status_code == 200]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert len(allowed) + len(refused) == 40
    assert 10 <= len(allowed) <= 11 + seconds
    assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
    assert asked(guarded, "read").status_code == 200  # another key is not affected


def test_both_workers_serve(guarded):
    assert len(guarded[0].workers()) == 2


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/embeddings", {"input": ["a"] * 9}),
        ("/embed", {"inputs": ["a"] * 9}),
        ("/v1/embeddings", {"input": "a" * 20_001}),
        ("/v1/search", {"query": "a" * 20_001}),
        ("/v1/search", {"query": "a", "k": 51}),
        ("/v1/embeddings", {"input": ["a" * 15_000] * 8}),
    ],
    ids=["batch", "TEI batch", "text", "query", "k", "body"],
)
def test_limits(guarded, path, body):
    assert asked(guarded, "read", body, path).status_code == 413


def test_a_body_without_a_declared_length_is_limited_too(guarded):
    server, keys = guarded

    def parts():
        for _ in range(100):
            yield b" " * 10_000

    headers = {"Authorization": f"Bearer {keys['read']}", "Content-Type": "application/json"}
    assert httpx.post(f"{server.url}/v1/embeddings", content=parts(), headers=headers).status_code == 413


@pytest.mark.parametrize("name", ["../films", "films/../../etc/passwd", "lance:///etc/passwd", "http://127.0.0.1/", ""])
def test_only_configured_indexes_are_opened(guarded, name):
    refused = asked(guarded, "read", {"query": "a", "index": name}, "/v1/search")
    assert refused.status_code == 404 and refused.headers["content-type"] == "application/problem+json"


def test_every_answer_has_safe_headers(guarded):
    for answer in (asked(guarded, "read"), asked(guarded, None), asked(guarded, "read", path="/none")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "server" not in answer.headers


def test_without_keys_it_listens_on_loopback_only():
    with pytest.raises(SettingsError, match="boolattn keys"):
        load_settings({"host": "0.0.0.0"}, environment={})
    command = [sys.executable, "-m", "boolattn", "serve", "--host", "0.0.0.0"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode == 2 and "API keys" in run.stderr and "Traceback" not in run.stderr
    for host in ("127.0.0.1", "::1", "localhost", "127.8.8.8"):
        assert load_settings({"host": host}, environment={}).host == host


def test_flags_win_over_the_environment_which_wins_over_the_file(tmp_path):
    file = tmp_path / "serve.toml"
    file.write_text('port = 1\nbatch = 2\nqueue = 5000\nindex = ["a=lance:///x/a"]\n')
    settings = load_settings({"port": 3}, str(file), {"BOOLATTN_PORT": "9", "BOOLATTN_BATCH": "7"})
    assert (settings.port, settings.batch, settings.queue, settings.indexes) == (3, 7, 5000, {"a": "lance:///x/a"})
    file.write_text("prot = 1\n")
    with pytest.raises(SettingsError, match="prot"):
        load_settings({}, str(file), {})


def test_settings_are_shown_without_secrets(tmp_path):
    with running(tmp_path, "--upstream", "http://127.0.0.1:9", ready=False, BOOLATTN_UPSTREAM_KEY="sesame") as server:
        pass
    shown = settings_shown(server.log)
    assert shown["upstream_key"] == "***" and shown["upstream"] == "http://127.0.0.1:9"
    assert "sesame" not in server.log.read_text()


def test_a_key_file_keeps_only_hashes(tmp_path):
    file = tmp_path / "keys.json"
    run = CliRunner().invoke(app, ["keys", str(file), "--name", "ann", "--write", "--per-minute", "5"])
    key = run.output.strip()
    assert run.exit_code == 0 and key not in file.read_text() and file.stat().st_mode & 0o077 == 0
    place, found = read_keys(file).find(key)
    assert (place, found.scopes, found.per_minute) == (0, ("read", "write"), 5)
    assert read_keys(file).find(key + "x") is None and Keys(()).find(key) is None
    assert CliRunner().invoke(app, ["keys", str(file), "--name", "ann"]).exit_code == 2
    file.write_text(json.dumps([{"name": "x", "sha256": "short"}]))
    with pytest.raises(KeyFileError, match="key file"):
        read_keys(file)


def test_a_bucket_refills(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("boolattn.service.rate_limits.time.monotonic", lambda: now[0])
    one, other = (SharedRateLimits(tmp_path / "rates", 2) for _ in range(2))
    assert [each.take(1, 60) for each in (one, other) * 5] == [0.0] * 10
    assert other.take(1, 60) == pytest.approx(1.0) and one.take(0, 60) == 0
    now[0] += 1.5
    assert one.take(1, 60) == 0 and other.take(1, 60) == pytest.approx(0.5)
    assert one.take(1, 0) == 0


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_model_that_does_not_load_is_one_line(tmp_path, workers):
    command = [sys.executable, "-m", "boolattn", "serve", "--model", str(tmp_path), "--port", "0", "--workers", workers]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert run.returncode == 3 and "cannot start: cannot load" in run.stderr and "Traceback" not in run.stderr


def test_an_index_of_another_model_stops_the_service_at_its_start(vectors, tmp_path, start):
    uri = filled(f"lance://{tmp_path}/films", vectors)
    command = [sys.executable, "-m", "boolattn", "serve", "--model", start, "--port", "0", "--index", uri]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert run.returncode == 3 and f"cannot start: index 'films': the index contains vectors of {NAME}" in run.stderr
