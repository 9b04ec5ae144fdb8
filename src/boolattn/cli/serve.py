"""boolattn serve, boolattn keys: the service."""

import inspect
from collections.abc import Callable
from dataclasses import Field, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from boolattn.cli import options
from boolattn.cli.errors import user_errors
from boolattn.service.settings import ServiceSettings, load_settings

LAST_PORT = 65_535
# Options that other commands have too are declared once, in options.py.
_SHARED: dict[str, Any] = {
    "model": options.Model,
    "backbone": options.Backbone,
    "index": options.Indexes,
    "reader": options.ReaderName,
    "documents": options.DocumentsAre,
    "strictness": options.HowSure,
    "act": options.Act,
}


def _with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command every setting as an option, except secrets: flags are visible to all users of a machine."""
    hints = get_type_hints(ServiceSettings)
    shown = [each for each in fields(ServiceSettings) if not each.metadata.get("secret")]
    given = [
        inspect.Parameter(
            each.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_option(each, hints[each.name])
        )
        for each in shown
    ]
    own = list(inspect.signature(command).parameters.values())[:-1]
    command.__signature__ = inspect.Signature([*own, *given])  # type: ignore[attr-defined]  # typer reads it
    return command


def _option(setting: Field[Any], kind: Any) -> Any:
    if setting.name in _SHARED:
        kind = list[str] if setting.name == "index" else kind
        return Annotated[kind | None, *_SHARED[setting.name].__metadata__]
    shown = "" if setting.default in (None, "") else f" Default: {setting.default}."
    name = f"--{setting.name.replace('_', '-')}"
    return Annotated[kind | None, typer.Option(name, help=setting.metadata["help"] + shown)]


@_with_settings
def serve(
    *,
    config: Annotated[
        Path | None, typer.Option(help="A TOML file with settings, under the names of the options.")
    ] = None,
    **flags: Any,
) -> None:
    """Serve embeddings and search over HTTP: OpenAI's, TEI's and Cohere's protocols, and /v1/search.

    Settings come from flags, from variables such as BOOLATTN_PORT, and from a file, in this order of precedence.
    """
    with user_errors():
        settings = load_settings(flags, None if config is None else str(config))
        _check(settings)
        from boolattn.service.server import serve as run

        run(settings)


def _check(settings: ServiceSettings) -> None:
    """Find mistakes in settings that a worker would only find once it has loaded the model."""
    if settings.port > LAST_PORT:
        raise ValueError(f"port is {settings.port}: use {LAST_PORT} or less")
    if settings.reader is not None:
        from boolattn.reading.readers import reader_named

        reader_named(settings.reader)
    if settings.keys is not None:
        from boolattn.service.keys import read_keys

        read_keys(settings.keys)


def keys(
    file: Annotated[Path, typer.Argument(help="The key file; it is created if it does not exist.")],
    name: Annotated[str, typer.Option(help="Whose key it is.")],
    write: Annotated[bool, typer.Option("--write", help="Also allow it to write and delete documents.")] = False,
    per_minute: Annotated[int, typer.Option(min=0, help="How many requests a minute it allows; 0 for no limit.")] = 0,
) -> None:
    """Add an API key for boolattn serve, and print it: the file keeps only its hash."""
    from boolattn.service.keys import add_key

    with user_errors():
        typer.echo(add_key(file, name, ("read", "write") if write else ("read",), per_minute))
