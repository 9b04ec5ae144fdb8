"""The command line: ``boolattn --help``."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from boolattn.cli.bench import bench
from boolattn.cli.drop import drop
from boolattn.cli.encode import encode
from boolattn.cli.evaluate import evaluate
from boolattn.cli.explain import explain
from boolattn.cli.index import index
from boolattn.cli.search import search
from boolattn.cli.ship import ship
from boolattn.cli.study import study, study_table
from boolattn.cli.train import finetune, pretrain
from boolattn.cli.train_reader import bench_reader, train
from boolattn.version import __version__


class Commands(TyperGroup):
    """All commands: what they take for the user's mistake is none where the reader of their output has gone."""

    def invoke(self, ctx: Any) -> Any:
        """Run one; typer ends quietly at a closed pipe that it hears of."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            if isinstance(error.__cause__, BrokenPipeError):
                raise error.__cause__ from None
            raise


app = typer.Typer(cls=Commands, help="Dense retrieval that understands and, or and not.", no_args_is_help=True)
app.command()(encode)
app.command()(evaluate)
app.command()(explain)
app.command()(index)
app.command()(search)
app.command()(drop)
app.command()(pretrain)
app.command()(finetune)
app.command()(ship)
app.command()(study)
app.command()(study_table)
app.add_typer(bench, name="bench")
bench.command("reader")(bench_reader)
app.add_typer(train, name="train")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Dense retrieval that understands and, or and not."""
