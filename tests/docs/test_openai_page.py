"""The lines for OpenAI-style APIs, with OpenAI's own client and a local server of their protocol."""

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from tests.docs.blocks import ROOT, blocks_of, run_python

PAGE = ROOT / "docs" / "existing-index.md"


@pytest.fixture
def server(minilm_folder, monkeypatch):
    model = SentenceTransformer(str(minilm_folder))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            vectors = model.encode(asked["input"])
            data = [{"object": "embedding", "index": i, "embedding": _as(asked, v)} for i, v in enumerate(vectors)]
            usage = {"prompt_tokens": 0, "total_tokens": 0}
            body = {"object": "list", "model": asked["model"], "data": data, "usage": usage}
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{serving.server_port}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield model
        serving.shutdown()


def test_the_page_fixes_an_openai_style_api(server):
    code = next(block.code for block in blocks_of(PAGE) if "from openai import OpenAI" in block.code)
    names = {}
    run_python(blocks_of(PAGE)[0].code, names)  # the films and the query
    run_python(code, names)
    index = server.encode(names["documents"])
    best = [names["documents"][int((index @ np.array(names[name])).argmax())] for name in ("before", "after")]
    assert "soldiers" in best[0] and "cooking" in best[1]


def _as(asked, vector):
    """Return a vector in the encoding that the client asked for."""
    if asked.get("encoding_format") == "base64":
        return base64.b64encode(vector.astype("<f4").tobytes()).decode()
    return vector.tolist()
