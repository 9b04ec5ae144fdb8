"""Appendix B: BoolAttn learns cues and gates, and gets "an okay initialization" of scopes and biases."""

from pathlib import Path

from boolattn.evaluation.tasks import DataFolder
from boolattn.training.recipes import Recipe, RecipeError
from boolattn.training.running import train


def pretrain(recipe: Recipe, data: DataFolder, out: str | Path) -> Path:
    """Pretrain on sentences: L = L_cue + L_gate + 0.2 L_triplet in the paper's recipe.

    An interrupted run goes on from its last checkpoint; a finished one is left as it is.

    Args:
        recipe: One with ``stage = "pretrain"``.
        data: Where the data lies.
        out: Where checkpoints, the model and ``results.json`` go.

    Returns:
        The folder of the model: ``DualEncoder(folder)``, or a plain model where the recipe says so.
    """
    if recipe.stage != "pretrain":
        raise RecipeError(f"this recipe is for the stage {recipe.stage!r}, not for pretraining")
    return train(recipe, data, Path(out))
