import json

import pytest
from lab.tests.paper import small

from boolattn_lab.paper.recipes import RecipeError, load_recipe
from boolattn_lab.paper.sampling import DrawAnew
from boolattn_lab.paper.train import finetune, last_checkpoint, train
from tests.forked import run_python

# Trains as requested, and dies by kill -9 at the end of a step.
SCRIPT = """
import os, signal, sys
from pathlib import Path
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.paper.sampling import DrawAnew
from boolattn_lab.paper.recipes import load_recipe
from boolattn_lab.paper.train import train

recipe, data, out, dies_at = sys.argv[1:]

def die(self, args, state, control, **kwargs):
    if state.global_step == int(dies_at):
        os.kill(os.getpid(), signal.SIGKILL)

DrawAnew.on_step_end = die
train(load_recipe(recipe), DataFolder(Path(data)), Path(out))
"""
TOML = """
stage = "{stage}"
seed = 3
[model]
start = "{start}"
pooling = "cls"
similarity = "dot"
query_tokens = 16
document_tokens = 24
[data]
source = "{source}"
validation_queries = {validation}
[training]
epochs = {epochs}
batch_size = 4
log_steps = 1
checkpoint_steps = 4
learning_rate = 1e-3
"""


def _curve(out):
    log = json.loads((out / "results.json").read_text())["log"]
    return {row["step"]: row["loss"] for row in log if "loss" in row}


@pytest.mark.parametrize(
    ("stage", "source", "validation", "epochs", "dies_at", "goes_on_from"),
    [
        ("pretrain", "setbert", 0, 3, 17, 16),  # six steps an epoch: in the middle of the third
        ("finetune", "quest", 4, 4, 5, 4),  # two steps an epoch: between the second and the third
    ],
)
def test_a_killed_run_resumes_with_the_same_loss_curve(
    start, data, tmp_path, monkeypatch, stage, source, validation, epochs, dies_at, goes_on_from
):
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(TOML.format(stage=stage, start=start, source=source, validation=validation, epochs=epochs))
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    train(load_recipe(recipe), data, whole)
    command = ["-c", SCRIPT, str(recipe), str(data.path), str(killed), str(dies_at)]
    assert run_python(*command, check=False).returncode == -9
    assert last_checkpoint(killed / "checkpoints").name == f"checkpoint-{goes_on_from}"
    assert not (killed / "results.json").exists()
    steps = []
    monkeypatch.setattr(DrawAnew, "on_step_end", lambda self, args, state, *_, **__: steps.append(state.global_step))
    train(load_recipe(recipe), data, killed)
    assert steps[0] == goes_on_from + 1  # what was done is not done again
    assert json.loads((killed / "results.json").read_text())["resumed_from"] == f"checkpoint-{goes_on_from}"
    assert len(_curve(whole)) > dies_at
    assert _curve(killed) == _curve(whole)


def test_an_incomplete_checkpoint_is_skipped(tmp_path):
    for step, state in ((2, '{"epoch": 1.0}'), (4, '{"epoch": 2.'), (10, None)):
        folder = tmp_path / f"checkpoint-{step}"
        folder.mkdir()
        if state:
            (folder / "trainer_state.json").write_text(state)
    assert last_checkpoint(tmp_path).name == "checkpoint-2"
    assert last_checkpoint(tmp_path / "nowhere") is None


def test_a_command_that_fails_before_training_claims_nothing(start, data, tmp_path):
    wrong = [
        (small.recipe("finetune", start, "nowhere"), RecipeError),
        (small.recipe("finetune", start, "quest", model={"start": str(tmp_path / "no-model")}), (OSError, ValueError)),
        (
            small.recipe("finetune", start, "quest", training={"gates": "learned"}, mechanism={"gate": "given"}),
            RecipeError,
        ),
    ]
    for recipe, error in wrong:
        with pytest.raises(error):
            finetune(recipe, data, tmp_path / "out")
        assert not (tmp_path / "out" / "recipe.json").exists()
    mended = small.recipe("finetune", start, "quest", training={"epochs": 1})
    assert finetune(mended, data, tmp_path / "out").exists()
    assert json.loads((tmp_path / "out" / "recipe.json").read_text()) == mended.as_dict()


def test_another_recipe_does_not_resume_from_these_checkpoints(start, data, tmp_path):
    recipe = small.recipe("finetune", start, "quest", training={"epochs": 1})
    folder = finetune(recipe, data, tmp_path)
    written = (tmp_path / "results.json").stat().st_mtime_ns
    assert finetune(recipe, data, tmp_path) == folder  # finished: left as it is
    assert (tmp_path / "results.json").stat().st_mtime_ns == written
    with pytest.raises(RecipeError, match="another recipe"):
        finetune(small.recipe("finetune", start, "quest", training={"epochs": 2}), data, tmp_path)
    with pytest.raises(RecipeError, match="another recipe"):  # said before any data is looked for
        finetune(small.recipe("finetune", start, "nowhere"), data, tmp_path)
