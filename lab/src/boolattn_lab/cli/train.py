"""boolattn-lab train reader, boolattn-lab train pretrain, boolattn-lab train finetune."""

from pathlib import Path
from typing import Annotated

import typer

from boolattn.cli.errors import user_errors
from boolattn_lab.cli.options import Data

RecipeFile = Annotated[Path, typer.Argument(help="A recipe: one of recipes/*.toml, or your own.")]
Out = Annotated[Path, typer.Option(help="Output folder for checkpoints, the trained model and results.")]
Changes = Annotated[
    list[str] | None, typer.Option("--set", help="Override a setting: seed=42, model.boolean=false; may be repeated.")
]
Encoder = Annotated[
    Path | None,
    typer.Option(help="Folder with the recipe's pretrained encoder; by default, it is downloaded."),
]

train = typer.Typer(help="Train a query reader, or a Boolean model.", no_args_is_help=True)


@train.command()
def reader(
    recipe: RecipeFile,
    data: Data,
    out: Out,
    calibrations: Annotated[
        Path | None,
        typer.Option(help="calibrations.json of `boolattn-lab bench reader`; without it, confidence is uncalibrated."),
    ] = None,
    encoder: Encoder = None,
    changes: Changes = None,
) -> None:
    """Train a query reader and write it to OUT/reader; unfinished runs resume."""
    from boolattn_lab.formats.folder import DataFolder
    from boolattn_lab.paper.recipes import change_of
    from boolattn_lab.reader.recipe import load_reader_recipe
    from boolattn_lab.reader.run import write_reader

    with user_errors():
        chosen = load_reader_recipe(recipe, dict(map(change_of, changes or ())), encoder)
        folder = write_reader(chosen, DataFolder(data), out, calibrations)
    typer.echo(f"reader: {folder}")


@train.command()
def pretrain(recipe: RecipeFile, data: Data, out: Out, changes: Changes = None) -> None:
    """Train the mechanism's cues and gates (the paper's first stage); unfinished runs resume."""
    _train("pretrain", recipe, data, out, changes)


@train.command()
def finetune(recipe: RecipeFile, data: Data, out: Out, changes: Changes = None) -> None:
    """Train for retrieval (the paper's second stage); unfinished runs resume."""
    _train("finetune", recipe, data, out, changes)


def _train(stage: str, recipe: Path, data: Path, out: Path, changes: list[str] | None) -> None:
    from boolattn_lab.formats.folder import DataFolder
    from boolattn_lab.paper import train as stages
    from boolattn_lab.paper.recipes import change_of, load_recipe

    run = stages.pretrain if stage == "pretrain" else stages.finetune
    with user_errors():
        model = run(load_recipe(recipe, dict(map(change_of, changes or ()))), DataFolder(data), out)
    typer.echo(f"model: {model}")
