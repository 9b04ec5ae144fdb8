import warnings

import pytest
import torch

from boolattn.training.sources import load_training_data
from boolattn.training.train import make_trainer
from tests.training import small


def _trainer(start, data, tmp_path, precision):
    recipe = small.recipe("finetune", start, "quest", training={"precision": precision, "negatives": 1})
    return make_trainer(recipe, load_training_data(data, recipe.data, 0), tmp_path)


@pytest.mark.parametrize("precision", ["bf16", "fp32"])
def test_validation_uses_the_precision_of_the_training(start, data, tmp_path, precision):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # on a CPU that emulates bf16
        trainer = _trainer(start, data, tmp_path, precision)
    seen = set()
    linear = next(module for module in trainer.model.modules() if isinstance(module, torch.nn.Linear))
    linear.register_forward_hook(lambda _, inputs, output: seen.add(output.dtype))
    trainer.evaluator(trainer.model)
    assert seen == {torch.bfloat16 if precision == "bf16" else torch.float32}


def test_bf16_on_a_cpu_that_emulates_it_gives_a_warning(start, data, tmp_path, monkeypatch):
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    with pytest.warns(UserWarning, match="use --set training.precision=fp32"):
        _trainer(start, data, tmp_path, "bf16")
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*emulates bf16.*")
        _trainer(start, data, tmp_path, "fp32")
