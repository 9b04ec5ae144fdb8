"""The README is short, and true. ``tests/docs/test_code.py`` runs its code."""

import re
import subprocess
import sys
import tomllib

import pytest

from tests.docs.blocks import ROOT, blocks_of

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_it_is_short():
    assert len(TEXT.splitlines()) <= 120


def test_six_lines_are_six_lines_and_all_code_runs():
    blocks = blocks_of(README)
    assert not any(block.mark for block in blocks)
    six = blocks[0]
    assert len([line for line in six.code.splitlines() if line]) == 6 and six.output


def test_it_names_extras_that_exist():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    prose = re.sub(r"```(?:python|text).*?```", "", TEXT, flags=re.DOTALL)
    named = set(re.findall(r"\[([a-z-]+)\](?!\()", prose))
    assert {"models", "search", "milvus", "serve", "docs"} <= named <= set(extras)


def test_the_board_has_the_figures_of_the_results():
    results = (ROOT / "lab/docs/results.md").read_text(encoding="utf-8").split("## Acting on an exclusion")[1]
    rows = [line.split("|")[1:5] for line in TEXT.splitlines() if line.startswith("| **")]
    gain, harm, cost = ([cell.replace("*", "") for cell in cells] for _, *cells in rows)
    ndcg, recall = (_row(results, f"negconstraint, {measure}") for measure in ("nDCG@10", "R@100"))
    assert [each.strip() for each in gain] == [f"{a} / {b}" for a, b in zip(ndcg, recall, strict=True)]
    changed, mrr = re.search(r"stackfaq, MRR \((\d+) of 1,249", results)[1], _row(results, "stackfaq, MRR")
    assert [each.split(";")[0].strip() for each in harm] == ["0", changed, changed]
    assert [float(each.split(";")[1]) for each in harm] == pytest.approx(list(map(float, mrr)), abs=0.00051)
    assert [each.split("/")[1].strip() for each in cost] == _row(results, "encodings of a query")


def test_the_picture_is_what_the_demonstration_finds(tmp_path):
    script = tmp_path / "side_by_side.py"
    script.write_bytes((ROOT / "docs/figures/side_by_side.py").read_bytes())
    subprocess.run([sys.executable, str(script)], check=True, capture_output=True)
    drawn, shown = tmp_path / "side-by-side.png", ROOT / "docs/figures/side-by-side.png"
    assert drawn.read_bytes() == shown.read_bytes(), "run python docs/figures/side_by_side.py"


def _row(text, name):
    """Return the first number of each of a row's first three columns: bare, rewritten, training-free."""
    row = next(line for line in text.splitlines() if line.startswith(f"| {name}"))
    return [re.match(r"\s*([\d.]+)", cell)[1] for cell in row.split("|")[2:5]]
