"""Every example runs as a user would run it, and prints what it promises."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.forked import run_python

EXAMPLES = Path(__file__).parents[1] / "examples"
PROMISES = {
    "1_attach.py": ["the same to the bit? True", "taken out: the same to the bit? True"],
    "2_fix_an_existing_index.py": ["before:", "after:"],
    "3_explain.py": ["Vietnam", "war", "Predicted by the learned reader"],
    "4_plan.py": ["movies set in Vietnam NOT war", '+(movies set in Vietnam) -"war"', '"boosting"'],
    "5_evaluate.py": ["bare: P@5", "training-free: P@5"],
    "6_rerank_with_a_cross_encoder.py": ["war: found", "war: negated mention", "verifier: "],
    "7_rerank_with_a_model_server.py": ["Minestrone", "1 dropped"],
}


SERVED = "7_rerank_with_a_model_server.py"


def test_all_are_here():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(PROMISES)


@pytest.mark.parametrize("name", [name for name in PROMISES if name != SERVED])
def test_runs(name, minilm_folder, tmp_path):
    environment = os.environ | {"BOOLATTN_CACHE": str(tmp_path)}
    done = run_python(str(EXAMPLES / name), str(minilm_folder), env=environment, cwd=tmp_path)
    for promise in PROMISES[name]:
        assert promise in " ".join(done.stdout.split()), done.stdout
    if name == "2_fix_an_existing_index.py":
        before, after = done.stdout.split("after:")
        assert "platoon" in before.splitlines()[1] and "cooking" in after.splitlines()[1]


class PrefersBorscht(BaseHTTPRequestHandler):
    """A model server with one opinion."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/rerank" and body["query"] == "soup without onions"
        self.server.asked += body["texts"]
        scores = [{"index": place, "score": float(text == "Borscht")} for place, text in enumerate(body["texts"])]
        answer = json.dumps(scores).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


def test_a_model_server_is_asked_about_what_words_do_not_decide(tmp_path):
    with ThreadingHTTPServer(("127.0.0.1", 0), PrefersBorscht) as server:
        server.asked = []
        Thread(target=server.serve_forever, daemon=True).start()
        done = run_python(str(EXAMPLES / SERVED), f"http://127.0.0.1:{server.server_port}", cwd=tmp_path)
        server.shutdown()
    assert server.asked == ["Minestrone", "Borscht"], "neither says whether it is a soup"
    *hits, dropped = done.stdout.splitlines()
    assert [hit.split("  ")[-1] for hit in hits] == ["Soup without onions", "Carrot soup", "Borscht", "Minestrone"]
    assert dropped == "1 dropped"
