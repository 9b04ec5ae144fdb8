"""boolattn pretrain, boolattn finetune."""

from pathlib import Path
from typing import Annotated

import typer

RecipeFile = Annotated[Path, typer.Argument(help="A recipe: one of recipes/*.toml, or your own.")]
Data = Annotated[Path, typer.Option(envvar="BOOLATTN_DATA", help="The folder with the training data.")]
Out = Annotated[Path, typer.Option(help="Where checkpoints, the model and results.json go.")]
Changes = Annotated[
    list[str] | None, typer.Option("--set", help="Change the recipe: seed=42, model.boolean=false; may be repeated.")
]


def pretrain(recipe: RecipeFile, data: Data, out: Out, changes: Changes = None) -> None:
    """Teach the mechanism cues and gates (the paper's first stage); again after an interruption, to go on."""
    _train("pretrain", recipe, data, out, changes)


def finetune(recipe: RecipeFile, data: Data, out: Out, changes: Changes = None) -> None:
    """Train for retrieval (the paper's second stage); again after an interruption, to go on."""
    _train("finetune", recipe, data, out, changes)


def _train(stage: str, recipe: Path, data: Path, out: Path, changes: list[str] | None) -> None:
    from boolattn.data.folder import DataFolder
    from boolattn.data.rows.bad_rows import BadRowError
    from boolattn.training import train
    from boolattn.training.recipes import change_of, load_recipe

    run = train.pretrain if stage == "pretrain" else train.finetune
    try:
        model = run(load_recipe(recipe, dict(map(change_of, changes or ()))), DataFolder(data), out)
    except (ValueError, OSError, BadRowError) as error:
        raise typer.BadParameter(str(error)) from error
    typer.echo(f"the model: {model}")
