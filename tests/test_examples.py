"""Every example runs, as a user would run it, and says what it promises."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
    arguments = [sys.executable, str(EXAMPLES / name), str(minilm_folder)]
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for promise in PROMISES[name]:
        assert promise in " ".join(done.stdout.split()), done.stdout


def test_fixing_an_index_puts_the_wanted_film_first(minilm_folder):
    arguments = [sys.executable, str(EXAMPLES / "2_fix_an_existing_index.py"), str(minilm_folder)]
    printed = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
    before, after = printed.split("after:")
    assert "platoon" in before.splitlines()[1] and "cooking" in after.splitlines()[1]
