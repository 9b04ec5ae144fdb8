"""Appendix D: queries learn to lie near the documents that answer them."""

from pathlib import Path

from boolattn.evaluation.tasks import DataFolder
from boolattn.training.recipes import Recipe, RecipeError
from boolattn.training.running import train


def finetune(recipe: Recipe, data: DataFolder, out: str | Path) -> Path:
    """Fine-tune on retrieval, one re-drawn positive and random negatives per query, the best epoch kept.

    An interrupted run goes on from its last checkpoint; a finished one is left as it is.

    Args:
        recipe: One with ``stage = "finetune"``.
        data: Where the data lies.
        out: Where checkpoints, the model and ``results.json`` go.

    Returns:
        The folder of the model: ``DualEncoder(folder)``, or a plain model where the recipe says so.
    """
    if recipe.stage != "finetune":
        raise RecipeError(f"this recipe is for the stage {recipe.stage!r}, not for fine-tuning")
    return train(recipe, data, Path(out))
