"""What BoolAttn costs in training: steps with and without it, by turns in one process."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from sentence_transformers import SentenceTransformerTrainer
from torch import Tensor

from boolattn.bench.overhead import medians_of
from boolattn.training.recipes import Recipe, RecipeError
from boolattn.training.sources import TrainingData
from boolattn.training.train import make_trainer


def step_time_ratio(recipe: Recipe, data: TrainingData, seconds: float) -> float:
    """Return the time of a training step with BoolAttn over that of the same step without.

    A step is the recipe's own: forward, backward and optimiser on one batch, tokenised before. The recipe must start
    from a plain model, which both share, and teach all of it: of a frozen backbone nothing is left to compare with.
    """
    if recipe.training.learns != "full":
        raise RecipeError(
            f"[training] learns = {recipe.training.learns!r} would have the two models learn different things: to "
            f"compare the time of their steps, --set training.learns=full"
        )
    with TemporaryDirectory() as folder:
        steps = {
            boolean: _step(make_trainer(_with_boolean(recipe, boolean), data, Path(folder)))
            for boolean in (True, False)
        }
        medians = medians_of(steps, seconds)
    return medians[True] / medians[False]


def _with_boolean(recipe: Recipe, boolean: bool) -> Recipe:
    return dataclasses.replace(recipe, model=dataclasses.replace(recipe.model, boolean=boolean))


def _step(trainer: SentenceTransformerTrainer) -> Callable[[], None]:
    optimizer = trainer.create_optimizer()
    batch = next(iter(trainer.get_train_dataloader()))
    trainer.model.train()

    def step() -> None:
        # The clock runs without gradients; learning needs them.
        with torch.inference_mode(False), torch.enable_grad():
            with trainer.accelerator.autocast():
                loss = trainer.compute_loss(trainer.model, dict(batch))
            assert isinstance(loss, Tensor)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()

    return step
