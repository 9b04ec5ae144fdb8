"""A process without torch: the learned reader, and *not* for an embedding function. ``.ci/setup`` makes the venv."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-light" / "bin" / "python"
PROGRAM = """
import importlib.util, json, sys
import numpy as np
assert not any(map(importlib.util.find_spec, ("torch", "transformers", "sentence_transformers")))
import boolattn

def embed(texts):  # a stand-in: one axis a word
    words = ["movies", "vietnam", "war", "set"]
    return np.array([[float(word in text.lower()) for word in words] for text in texts], np.float32)

query = "movies set in Vietnam but not about war"
reading = boolattn.load_reader().read([query])[0]
vectors = boolattn.signed_vectors([query, "movies about war"], embed)
print(json.dumps({"excluded": [each.span.of(query) for each in reading.exclusions], "vectors": vectors.tolist()}))
"""


@pytest.mark.skipif(not PYTHON.exists(), reason="needs .venv-light, which .ci/setup makes")
def test_the_learned_reader_and_signed_vectors_need_no_torch():
    found = json.loads(_output([PYTHON, "-c", PROGRAM]))
    assert found["excluded"] == ["war"]
    excluding, ordinary = found["vectors"]
    assert excluding[2] < 0 < excluding[1]
    assert ordinary == [1.0, 0.0, 1.0, 0.0]


@pytest.mark.skipif(not PYTHON.exists(), reason="needs .venv-light, which .ci/setup makes")
def test_a_reader_is_measured_without_torch(tmp_path):
    rows = [{"query": "movies set in Vietnam but not about war", "excluded": ["war"]}, {"query": "a", "excluded": []}]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [PYTHON, "-m", "boolattn", "evaluate", "reading", "--queries", str(tmp_path / "rows.jsonl"), "--json"]
    assert json.loads(_output(command))["recall"] == 1.0


def _output(command):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "tests", env=environment)
    assert run.returncode == 0, run.stderr
    return run.stdout
