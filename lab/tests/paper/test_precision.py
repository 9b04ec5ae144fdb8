import json

import pytest
import torch
from lab.tests.paper import small

from boolattn_lab.paper.sources import load_training_data
from boolattn_lab.paper.train import RESULTS, finetune, make_trainer


def _recipe(start, precision):
    return small.recipe("finetune", start, "quest", training={"precision": precision, "negatives": 1})


def _trainer(start, data, tmp_path, precision):
    recipe = _recipe(start, precision)
    return make_trainer(recipe, load_training_data(data, recipe.data, 0), tmp_path)


def _used(trainer):
    seen = set()
    linear = next(module for module in trainer.model.modules() if isinstance(module, torch.nn.Linear))
    linear.register_forward_hook(lambda _, inputs, output: seen.add(output.dtype))
    trainer.evaluator(trainer.model)
    return trainer.args.bf16, seen


@pytest.mark.parametrize("precision", ["bf16", "fp32"])
def test_training_and_validation_use_the_same_precision(start, data, tmp_path, monkeypatch, precision):
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: True)
    is_bf16 = precision == "bf16"
    assert _used(_trainer(start, data, tmp_path, precision)) == (
        is_bf16,
        {torch.bfloat16 if is_bf16 else torch.float32},
    )


@pytest.mark.skipif(torch.accelerator.is_available(), reason="accelerators compute in bf16")
def test_a_cpu_that_would_emulate_bf16_trains_in_fp32(start, data, tmp_path, monkeypatch):
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    assert _used(_trainer(start, data, tmp_path, "bf16")) == (False, {torch.float32})
    finetune(_recipe(start, "bf16"), data, tmp_path / "run")
    results = json.loads((tmp_path / "run" / RESULTS).read_text())
    assert (results["recipe"]["training"]["precision"], results["precision"]) == ("bf16", "fp32")
