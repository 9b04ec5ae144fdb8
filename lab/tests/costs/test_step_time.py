import pytest
import torch
from lab.tests.paper import small

from boolattn_lab.costs import overhead
from boolattn_lab.paper.recipes import RecipeError
from boolattn_lab.paper.sources import load_training_data


def test_the_ratio_is_of_a_step_with_boolattn_over_one_without(start, data, monkeypatch):
    recipe = small.recipe("finetune", start, "quest")
    trainers = {}
    make = overhead.make_trainer

    def remember(recipe, data, folder):
        return trainers.setdefault(recipe.model.boolean, make(recipe, data, folder))

    @torch.inference_mode()
    def medians(steps, seconds):
        for boolean, step in steps.items():
            before = [weight.clone() for weight in trainers[boolean].model.parameters()]
            step()
            after = trainers[boolean].model.parameters()
            assert any(not torch.equal(old, new) for old, new in zip(before, after, strict=True))
        return {True: 3.0, False: 2.0}

    monkeypatch.setattr(overhead, "make_trainer", remember)
    monkeypatch.setattr(overhead, "medians_of", medians)
    training_data = load_training_data(data, recipe.data, 0)
    assert overhead.step_time_ratio(recipe, training_data, seconds=0) == 1.5
    with_boolattn = sum(weight.numel() for weight in trainers[True].model.parameters())
    assert with_boolattn > sum(weight.numel() for weight in trainers[False].model.parameters())


def test_it_is_measured(start, data):
    recipe = small.recipe("finetune", start, "quest")
    assert overhead.step_time_ratio(recipe, load_training_data(data, recipe.data, 0), seconds=0.1) > 0


@pytest.mark.parametrize("learns", ["adapter", "embeddings"])
def test_only_recipes_that_train_all_weights_are_compared(start, data, learns):
    recipe = small.recipe("finetune", start, "quest", training={"learns": learns})
    with pytest.raises(RecipeError, match=f"{learns}.*--set training.learns=full"):
        overhead.step_time_ratio(recipe, load_training_data(data, recipe.data, 0), seconds=0)
