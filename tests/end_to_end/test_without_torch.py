"""A process where no extra is installed, and so no torch. ``.ci/setup`` makes the venv."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import boolattn
from tests.hub_cache import NAME

PUBLIC = boolattn.__all__  # all names: where the tests run, everything is installed
ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-light" / "bin" / "python"
PROGRAM = """
import importlib.util, json, sys
import numpy as np
assert not any(map(importlib.util.find_spec, ("torch", "transformers", "sentence_transformers")))
import boolattn
from boolattn.plans.engine_queries import to_elasticsearch, to_lucene, to_qdrant, to_weaviate

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
    "reranked": [
        hit.place for hit in boolattn.rerank(query, ["war movies", "movies set in Vietnam"], documents="things")
    ],
    "vectors": boolattn.signed_vectors([query, "movies about war"], embed).tolist(),
}))
"""
STAR = f"""
import json
before = {{*globals(), "before"}}
from boolattn import *
imported = sorted(set(globals()) - before)
import boolattn

def works(name):
    try:
        return bool(getattr(boolattn, name))
    except ImportError as error:
        assert "pip install 'boolattn[models]'" in str(error), error
        return False

works = list(filter(works, {PUBLIC}))
print(json.dumps({{"imported": imported, "all": boolattn.__all__, "dir": dir(boolattn), "works": works}}))
"""
needs_light = pytest.mark.skipif(not PYTHON.exists(), reason="needs .venv-light, which .ci/setup makes")


@needs_light
def test_reading_plans_exports_reranking_and_signed_vectors_need_no_extra():
    found = json.loads(_run([PYTHON, "-c", PROGRAM]).stdout)
    assert found["excluded"] == ["war"] and found["same"]
    assert found["plan"] == found["rules"] == "movies set in Vietnam NOT war"
    assert found["lucene"] == '+(movies set in Vietnam) -"war"' and all(found["exports"])
    assert found["reranked"] == [1, 0]
    excluding, ordinary = found["vectors"]
    assert excluding[2] < 0 < excluding[1]
    assert ordinary == [1.0, 0.0, 1.0, 0.0]


@needs_light
@pytest.mark.parametrize("command", [[], ["search"]], ids=" ".join)
def test_help_needs_no_extra(command):
    assert "Usage" in _run([PYTHON, "-m", "boolattn", *command, "--help"]).stdout


@needs_light
@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (["encode", "../examples/films.jsonl", "--model", NAME, "--out", "out"], "models"),
        (["search", "war", "--index", "lance://films"], "search"),
        (["explain", "war"], "models"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_command_names_the_extra_it_needs(arguments, extra):
    run = _run([PYTHON, "-m", "boolattn", *arguments], code=2)
    assert f"boolattn[{extra}]" in run.stderr and "Traceback" not in run.stderr, run.stderr


@needs_light
def test_a_public_name_says_which_extra_it_needs():
    code = "import boolattn\ntry: boolattn.load_encoder\nexcept ImportError as error: print(error)"
    assert (
        "boolattn.load_encoder needs sentence_transformers: pip install 'boolattn[models]'"
        in _run([PYTHON, "-c", code]).stdout
    )


@needs_light
def test_a_star_import_brings_the_names_that_work():
    found = json.loads(_run([PYTHON, "-c", STAR]).stdout)
    assert set(found["imported"]) == set(found["works"]) == set(found["all"]) >= {"Filter", "read", "signed_vectors"}
    assert set(found["works"]) < set(PUBLIC) <= set(found["dir"])


def _run(command, code=0):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["COLUMNS"] = "200"
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "tests", env=environment)
    assert run.returncode == code, run.stderr
    return run
