"""Explain a query: which words were read as an exclusion, and the effect on attention and on the query vector."""

import sys
from pathlib import Path

from rich.console import Console

from boolattn import DualEncoder, explain
from boolattn.explanation.html import page
from boolattn.explanation.terminal import render

name = sys.argv[1] if len(sys.argv) > 1 else "sentence-transformers/all-MiniLM-L6-v2"
explanation = explain(DualEncoder.training_free(name), "movies set in Vietnam but not about war")
Console().print(render(explanation))
if len(sys.argv) > 2:
    Path(sys.argv[2]).write_text(page(explanation), encoding="utf-8")
    print("wrote", sys.argv[2])
