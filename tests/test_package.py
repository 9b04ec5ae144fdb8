"""Importing the package or asking for help stays quick: what is heavy loads only when something needs it."""

import os
import subprocess
import sys

import pytest

import boolattn


@pytest.mark.parametrize("code", ["import boolattn", "from boolattn.cli import app; app(['--help'])"])
def test_nothing_heavy_is_imported_without_need(code):
    heavy = {"torch", "transformers", "sentence_transformers", "numpy", "onnxruntime", "tokenizers", "lancedb"}
    heavy |= {"pyarrow", "fastapi", "uvicorn", "jinja2", "matplotlib", "boolattn.reading.rules.lexicon"}
    script = f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\nprint({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_help_is_shown_within_half_a_second():
    took = []
    for _ in range(5):  # in CPU time, which other processes hardly change; the first run may compile
        before = os.times()
        subprocess.run([sys.executable, "-m", "boolattn", "--help"], check=True, capture_output=True)
        after = os.times()
        took.append(after.children_user + after.children_system - before.children_user - before.children_system)
    assert min(took) < 0.5, took


def test_reading_documents_needs_no_package_of_the_extra_evaluation():
    absent = ("ijson", "ir_measures", "platformdirs", "pyroaring", "rapidfuzz", "zstandard")
    script = f"import sys\nsys.modules |= dict.fromkeys({absent})\nimport boolattn.retrieval.corpus.documents"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_star_import_brings_every_public_name():
    found = {}
    exec("from boolattn import *", found)
    assert set(found) - {"__builtins__"} == set(boolattn.__all__) == {"read", *boolattn._HOME} <= set(dir(boolattn))
    assert len(dir(boolattn)) == len(set(dir(boolattn)))


def test_every_public_name_loads():
    for name in boolattn.__all__:
        assert getattr(boolattn, name).__name__ == name
    with pytest.raises(AttributeError, match="nonsense"):
        boolattn.nonsense  # noqa: B018
