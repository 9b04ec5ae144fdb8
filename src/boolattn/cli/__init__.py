"""The command line: ``boolattn --help``."""

from typing import Annotated

import typer

from boolattn.cli.demo import demo
from boolattn.cli.errors import Commands
from boolattn.cli.exporting import export
from boolattn.cli.indexing import drop, encode, index
from boolattn.cli.querying import explain, read, search
from boolattn.cli.serve import keys, serve
from boolattn.version import __version__

app = typer.Typer(cls=Commands, help="Dense retrieval that understands and, or and not.", no_args_is_help=True)
for command in (demo, read, encode, index, search, drop, explain, export, serve, keys):
    app.command()(command)


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
