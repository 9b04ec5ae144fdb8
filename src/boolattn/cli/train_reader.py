"""boolattn train reader, boolattn bench reader."""

import json
from pathlib import Path
from typing import Annotated

import typer

from boolattn.cli.train import Changes, Data, Out, RecipeFile

Encoder = Annotated[
    Path | None,
    typer.Option(help="A folder that holds the recipe's pretrained encoder; by default it is downloaded."),
]

train = typer.Typer(help="Train what reads queries.", no_args_is_help=True)


@train.callback()
def _train() -> None:
    """Keep ``reader`` a command of its own, though it is the only one."""


@train.command("reader")
def train_reader(
    recipe: RecipeFile,
    data: Data,
    out: Out,
    calibration: Annotated[
        Path | None,
        typer.Option(help="What `boolattn bench reader` wrote (calibration.json); without it, confidence is raw."),
    ] = None,
    encoder: Encoder = None,
    changes: Changes = None,
) -> None:
    """Train a reader of queries and write it to OUT/reader; run again after an interruption to resume."""
    from boolattn.data.folder import DataFolder
    from boolattn.training.reader.recipe import load_reader_recipe
    from boolattn.training.reader.run import write_reader
    from boolattn.training.recipes import change_of

    try:
        chosen = load_reader_recipe(recipe, dict(map(change_of, changes or ())), encoder)
        folder = write_reader(chosen, DataFolder(data), out, calibration)
    except (ValueError, OSError) as error:
        raise typer.BadParameter(str(error)) from error
    typer.echo(f"the reader: {folder}")


def bench_reader(
    recipe: RecipeFile,
    data: Data,
    out: Out,
    encoder: Encoder = None,
    plot: Annotated[Path | None, typer.Option(help="Folder to draw the curve and the reliability plot to.")] = None,
    changes: Changes = None,
) -> None:
    """Measure a recipe: five readers for each seed, and their mean, read the fifth they were not trained on."""
    from boolattn.data.folder import DataFolder
    from boolattn.training.reader.folds import measure_recipe
    from boolattn.training.reader.recipe import load_reader_recipe
    from boolattn.training.recipes import change_of

    try:
        chosen = load_reader_recipe(recipe, dict(map(change_of, changes or ())), encoder)
        found = measure_recipe(chosen, DataFolder(data), out, plot)
    except (ValueError, OSError) as error:
        raise typer.BadParameter(str(error)) from error
    typer.echo(json.dumps(found, indent=2))
