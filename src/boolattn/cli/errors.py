"""Report user mistakes in one line instead of a traceback."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from boolattn.extras import install_advice


@contextmanager
def user_errors(*others: type[Exception]) -> Iterator[None]:
    """Report bad values, missing files, missing packages and the given error types as user mistakes."""
    mistakes: tuple[type[Exception], ...] = (ValueError, OSError, ImportError, *others)
    try:
        yield
    except mistakes as error:
        if isinstance(error, ImportError) and install_advice("", error):
            raise  # Commands reports it
        raise typer.BadParameter(str(error)) from error


_IN_THE_LAB = {"evaluate", "train"}


class Commands(TyperGroup):
    """All commands. Closed pipes are not errors; a missing package is reported with the extra that provides it."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; name the package of one that is in the laboratory."""
        if self.get_command(ctx, args[0]) is None and args[0] in _IN_THE_LAB:
            typer.echo(
                f"`{args[0]}` is a command of boolattn-lab: in a clone, pip install ./lab, then boolattn-lab {args[0]}",
                err=True,
            )
            raise typer.Exit(2)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command, and exit quietly on a closed pipe."""
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
