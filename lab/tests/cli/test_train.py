from pathlib import Path

import pytest
from typer.testing import CliRunner

from boolattn_lab.cli import app

RECIPES = Path(__file__).parents[2] / "recipes"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["train", "finetune", str(RECIPES / "paper-pretrain.toml")], "run boolattn-lab train pretrain"),
        (["train", "pretrain", str(RECIPES / "paper-quest.toml")], "run boolattn-lab train finetune"),
        (["train", "finetune", str(RECIPES / "paper-quest.toml"), "--set", "training.nonsense=1"], "has no 'nonsense'"),
        (["train", "finetune", str(RECIPES / "paper-quest.toml"), "--set", "seed"], "write key=value"),
        (["train", "finetune", "no-such.toml"], "no-such.toml"),
    ],
)
def test_what_cannot_be_trained_is_reported_without_a_traceback(arguments, says, tmp_path):
    done = CliRunner().invoke(app, [*arguments, "--data", str(tmp_path), "--out", str(tmp_path / "out")])
    assert done.exit_code == 2 and says in " ".join(done.output.replace("│", " ").split())
