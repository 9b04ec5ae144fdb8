"""Options shared by several commands: each is declared once and means the same everywhere."""

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from boolattn.reading.choices import Documents, Strictness

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
MODEL_HELP = (
    "A sentence-transformers model, as a hub name or a folder; training-free:NAME for that model acting on exclusions "
    "inside its attention; or the folder of a saved Boolean model or adapter."
)

Model = Annotated[str, typer.Option("--model", envvar="BOOLATTN_MODEL", help=MODEL_HELP)]
Backbone = Annotated[
    str | None,
    typer.Option("--backbone", envvar="BOOLATTN_BACKBONE", help="An adapter's backbone: a folder or hub name."),
]
_INDEX = typer.Option("--index", help="An index: lance:///folder/name (files) or milvus://host:port/name (server).")
Index = Annotated[str, _INDEX]
Indexes = Annotated[list[str], _INDEX]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

ReaderName = Annotated[
    str | None, typer.Option("--reader", help="The query reader: learned, rules, or the folder of a trained reader.")
]
DocumentsAre = Annotated[
    Documents | None,
    typer.Option(
        "--documents",
        help="What the documents are: things, such as films and products, or pages about them; properties (films that "
        "are not comedies) are only excluded from things. Default: as declared for the vectors, the index or the "
        "benchmark, or else pages.",
    ),
]
HowSure = Annotated[
    Strictness | None, typer.Option("--strictness", help="How confident the learned reader must be of an exclusion.")
]
Excluded = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        help="Words to exclude, in the query or not, instead of using a reader; may be repeated. Only Python and the "
        "service take weights.",
    ),
]
Syntax = Annotated[bool, typer.Option("--syntax", help='The query uses AND, OR, NOT, -word and "...".')]
Act = Annotated[bool, typer.Option("--act/--no-act", help="Act on exclusions, or only report what is read.")]


def require_output_folder(folder: Path) -> Path:
    """Refuse an output folder that cannot be written to: early, as a callback of its option."""
    there = next(each for each in (folder.absolute(), *folder.absolute().parents) if os.access(each, os.F_OK))
    if not (there.is_dir() and os.access(there, os.W_OK)):
        raise typer.BadParameter(f"cannot write to {folder}: {there} is not a folder, or it is read-only")
    return folder


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """Options of commands for one query: the model, and how to read the query."""

    model: Model = DEFAULT_MODEL
    backbone: Backbone = None
    reader: ReaderName = None
    documents: DocumentsAre = None
    strictness: HowSure = None
    exclude: Excluded = None
    syntax: Syntax = False
    act: Act = True

    @property
    def reading(self) -> dict[str, Any]:
        """The reading options, as arguments of ``Searcher`` and ``explain``."""
        return {name: getattr(self, name) for name in ("reader", "documents", "strictness", "syntax", "act")}


def note_undeclared(index: str) -> None:
    """Note on stderr that an index does not declare what its documents are, the effect, and how to declare it."""
    typer.echo(
        f'note: {index} does not declare what its documents are, so they count as pages: properties, as in "films that '
        f'are not comedies", are not excluded. To declare it: boolattn index DIR --index {index} --documents things '
        "(or pages)",
        err=True,
    )


def with_query_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the fields of ``QueryOptions`` to a command as options, replacing its parameter ``options``."""
    shared = inspect.signature(QueryOptions).parameters.values()

    @wraps(command)
    def run(**given: Any) -> None:
        options = QueryOptions(**{each.name: given.pop(each.name) for each in shared})
        command(options=options, **given)

    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for own in inspect.signature(command).parameters.values()
        for parameter in (shared if own.name == "options" else (own,))
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer builds options from it
    return run
