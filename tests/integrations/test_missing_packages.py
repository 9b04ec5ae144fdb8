"""Importing a retriever without one of its packages says which extra brings it."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("missing", ["sentence_transformers", "torch", "framework"])
@pytest.mark.parametrize(
    ("module", "framework", "extra"),
    [("langchain", "langchain_core", "langchain"), ("llama_index", "llama_index", "llama-index")],
)
def test_the_error_names_the_extra(module, framework, extra, missing):
    missing = framework if missing == "framework" else missing
    script = f"import sys\nsys.modules[{missing!r}] = None\nimport boolattn.integrations.{module}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    said = done.stderr.splitlines()[-1]
    assert said.startswith("ImportError: ") and f"pip install 'boolattn[{extra}]'" in said and missing in said, said
