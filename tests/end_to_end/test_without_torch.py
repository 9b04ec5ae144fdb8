"""A process where no extra is installed, and so no torch. ``.ci/setup`` makes the venv."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hub_cache import NAME

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-light" / "bin" / "python"
PROGRAM = """
import importlib.util, json, sys
import numpy as np
assert not any(map(importlib.util.find_spec, ("torch", "transformers", "sentence_transformers")))
import boolattn
from boolattn.reading.exports import to_elasticsearch
from boolattn.reading.exports import to_lucene
from boolattn.reading.exports import to_qdrant
from boolattn.reading.exports import to_weaviate

def embed(texts):  # a toy embedding: one axis per word
    words = ["movies", "vietnam", "war", "set"]
    return np.array([[float(word in text.lower()) for word in words] for text in texts], np.float32)

query = "movies set in Vietnam but not about war"
reading = boolattn.read(query)
plan = reading.plan()
print(json.dumps({
    "excluded": [each.span.of(query) for each in reading.exclusions],
    "same": boolattn.load_reader().read([query]) == [reading],
    "rules": str(boolattn.read(query, reader="rules").plan()),
    "plan": str(plan),
    "lucene": to_lucene(plan),
    "exports": [to_elasticsearch(plan, "text"), to_qdrant(plan, lambda text: [1.0]), to_weaviate(plan)],
    "vectors": boolattn.signed_vectors([query, "movies about war"], embed).tolist(),
}))
"""
WITHOUT_TORCH = """
import sys
sys.modules |= dict.fromkeys(("torch", "transformers", "sentence_transformers"))  # importing them fails
from boolattn.cli import app
app(sys.argv[1:])
"""
needs_light = pytest.mark.skipif(not PYTHON.exists(), reason="needs .venv-light, which .ci/setup makes")


@needs_light
def test_reading_plans_exports_and_signed_vectors_need_no_extra():
    found = json.loads(_run([PYTHON, "-c", PROGRAM]).stdout)
    assert found["excluded"] == ["war"] and found["same"]
    assert found["plan"] == found["rules"] == "movies set in Vietnam NOT war"
    assert found["lucene"] == '+(movies set in Vietnam) -"war"' and all(found["exports"])
    excluding, ordinary = found["vectors"]
    assert excluding[2] < 0 < excluding[1]
    assert ordinary == [1.0, 0.0, 1.0, 0.0]


@needs_light
@pytest.mark.parametrize("command", [[], ["search"], ["train"], ["train", "reader"], ["dev", "bench"]], ids=" ".join)
def test_help_needs_no_extra(command):
    assert "Usage" in _run([PYTHON, "-m", "boolattn", *command, "--help"]).stdout


@needs_light
@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (["encode", "data/fixtures/beir_flat/corpus.jsonl", "--model", NAME, "--out", "out"], "models"),
        (["search", "war", "--index", "lance://films"], "models"),
        (["explain", "war"], "models"),
        (["evaluate", "films", "--model", NAME, "--data", "data"], "evaluation"),
        (["train", "finetune", "recipe.toml", "--data", "data", "--out", "out"], "train"),
        (["train", "reader", "recipe.toml", "--data", "data", "--out", "out"], "train"),
        (["dev", "ship", "model", "out", "--made-with", "backbone"], "models"),
        (["dev", "bench", "overhead"], "models"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_command_names_the_extra_it_needs(arguments, extra):
    run = _run([PYTHON, "-m", "boolattn", *arguments], code=2)
    assert f"boolattn[{extra}]" in run.stderr and "Traceback" not in run.stderr, run.stderr


@needs_light
def test_a_public_name_says_which_extra_it_needs():
    code = "import boolattn\ntry: boolattn.load\nexcept ImportError as error: print(error)"
    assert (
        "boolattn.load needs sentence_transformers: pip install 'boolattn[models]'" in _run([PYTHON, "-c", code]).stdout
    )


def test_a_reader_is_measured_without_torch(tmp_path):
    rows = [{"query": "movies set in Vietnam but not about war", "excluded": ["war"]}, {"query": "a", "excluded": []}]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["evaluate", "reading", "--queries", str(tmp_path / "rows.jsonl"), "--json"]
    run = _run([sys.executable, "-c", WITHOUT_TORCH, *command], keep_path=True)
    assert json.loads(run.stdout)["recall"] == 1.0


def _run(command, code=0, keep_path=False):
    environment = {name: value for name, value in os.environ.items() if keep_path or name != "PYTHONPATH"}
    environment["COLUMNS"] = "200"
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "tests", env=environment)
    assert run.returncode == code, run.stderr
    return run
