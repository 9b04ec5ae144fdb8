"""A user's mistakes, reported in a line instead of a traceback."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from boolattn.extras import install_advice


@contextmanager
def user_errors(*others: type[Exception]) -> Iterator[None]:
    """Report wrong values, missing files and missing packages, and errors of the other types named, as mistakes."""
    mistakes: tuple[type[Exception], ...] = (ValueError, OSError, ImportError, *others)
    try:
        yield
    except mistakes as error:
        if isinstance(error, ImportError) and install_advice("", error):
            raise  # Commands reports it
        raise typer.BadParameter(str(error)) from error


class Commands(TyperGroup):
    """All commands. A closed pipe is not a mistake, and a missing package is reported with the extra that brings it."""

    def invoke(self, ctx: Any) -> Any:
        """Run one; typer ends quietly at a closed pipe that it hears of."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            if isinstance(error.__cause__, BrokenPipeError):
                raise error.__cause__ from None
            raise
        except ModuleNotFoundError as error:
            if (advice := install_advice(f"boolattn {ctx.invoked_subcommand}", error)) is None:
                raise
            typer.echo(advice, err=True)
            raise typer.Exit(2) from error
