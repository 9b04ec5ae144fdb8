"""Every example runs as a user would run it, and prints what it promises."""

import os
from pathlib import Path

import pytest

from tests.forked import run_python

EXAMPLES = Path(__file__).parents[1] / "examples"
PROMISES = {
    "1_attach.py": ["the same to the bit? True", "taken out: the same to the bit? True"],
    "2_fix_an_existing_index.py": ["before:", "after:"],
    "3_explain.py": ["Vietnam", "war", "Predicted by the learned reader"],
    "4_plan.py": ["movies set in Vietnam NOT war", '+(movies set in Vietnam) -"war"', '"boosting"'],
    "5_evaluate.py": ["bare: P@5", "training-free: P@5"],
}


def test_all_are_here():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(PROMISES)


@pytest.mark.parametrize("name", PROMISES)
def test_runs(name, minilm_folder, tmp_path):
    environment = os.environ | {"BOOLATTN_CACHE": str(tmp_path)}
    done = run_python(str(EXAMPLES / name), str(minilm_folder), env=environment, cwd=tmp_path)
    for promise in PROMISES[name]:
        assert promise in " ".join(done.stdout.split()), done.stdout
    if name == "2_fix_an_existing_index.py":
        before, after = done.stdout.split("after:")
        assert "platoon" in before.splitlines()[1] and "cooking" in after.splitlines()[1]
