"""Importing the package or asking for help stays quick: what is heavy loads only when something needs it."""

import subprocess
import sys

import pytest

import boolattn


@pytest.mark.parametrize("code", ["import boolattn", "from boolattn.cli import app; app(['--help'])"])
def test_nothing_heavy_is_imported_without_need(code):
    heavy = {"torch", "transformers", "numpy", "onnxruntime", "tokenizers", "boolattn.reading.rules.lexicon"}
    script = f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\nprint({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_reading_documents_needs_no_package_of_the_extra_evaluation():
    absent = ("ijson", "ir_measures", "platformdirs", "pyroaring", "rapidfuzz", "zstandard")
    script = f"import sys\nsys.modules |= dict.fromkeys({absent})\nimport boolattn.retrieval.corpus.documents"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_every_public_name_loads():
    for name in boolattn.__all__:
        assert getattr(boolattn, name).__name__ == name
    with pytest.raises(AttributeError, match="nonsense"):
        boolattn.nonsense  # noqa: B018
