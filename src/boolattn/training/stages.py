"""The paper's two stages. An interrupted run goes on from its last checkpoint; a finished one is left as it is.

Both return the folder of the model: ``DualEncoder(folder)``, or a plain model where the recipe says so. Checkpoints,
the model and ``results.json`` go to ``out``.
"""

from pathlib import Path

from boolattn.data.folder import DataFolder
from boolattn.training.recipes import Recipe, RecipeError
from boolattn.training.train import train


def pretrain(recipe: Recipe, data: DataFolder, out: str | Path) -> Path:
    """Appendix B: BoolAttn learns cues and gates, and gets "an okay initialization" of scopes and biases.

    L = L_cue + L_gate + 0.2 L_triplet in the paper's recipe.
    """
    return train(_of_stage(recipe, "pretrain"), data, Path(out))


def finetune(recipe: Recipe, data: DataFolder, out: str | Path) -> Path:
    """Appendix D: queries learn to lie near the documents that answer them.

    One positive, drawn anew at every step, and random negatives per query; the best epoch is kept.
    """
    return train(_of_stage(recipe, "finetune"), data, Path(out))


def _of_stage(recipe: Recipe, stage: str) -> Recipe:
    if recipe.stage != stage:
        raise RecipeError(f"this recipe is for the stage {recipe.stage!r}: boolattn {recipe.stage} runs it")
    return recipe
