"""Options that several commands share: each is declared once, and means the same everywhere."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from boolattn.reading.reading import Documents, Strictness

DEFAULT_MODEL = "minilm-l6"
_MODEL_HELP = (
    "A shipped adapter, the folder of a saved Boolean model, training-free:NAME for a sentence-transformers model made "
    "Boolean, or NAME for that model as it is."
)
_DATA = typer.Option("--data", envvar="BOOLATTN_DATA", help="The folder with the data of benchmarks and training.")

Model = Annotated[str, typer.Option("--model", envvar="BOOLATTN_MODEL", help=_MODEL_HELP)]
Systems = Annotated[
    list[str] | None,
    typer.Option("--model", help=f"{_MODEL_HELP} Also rewritten:NAME, bm25, rules or learned; may be repeated."),
]
Backbone = Annotated[
    str | None,
    typer.Option(
        "--backbone", envvar="BOOLATTN_BACKBONE", help="The backbone of a shipped adapter: a folder or hub name."
    ),
]
Data = Annotated[Path, _DATA]
DataIfNeeded = Annotated[Path | None, _DATA]
_INDEX = typer.Option("--index", help="An index: lance:///folder/name for files, milvus://host:port/name for a server.")
Index = Annotated[str, _INDEX]
Indexes = Annotated[list[str], _INDEX]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown tables.")]

ReaderName = Annotated[
    str | None, typer.Option("--reader", help="Who reads queries: learned, rules, or the folder of a trained reader.")
]
DocumentsAre = Annotated[
    Documents | None,
    typer.Option(
        "--documents",
        help="What the documents are: things, such as films and products, or pages about them; properties (films that "
        "are not comedies) are excluded from things alone. By default as the index or benchmark says, or pages.",
    ),
]
HowSure = Annotated[
    Strictness | None, typer.Option("--strictness", help="How sure the learned reader must be of an exclusion.")
]
Excluded = Annotated[
    list[str] | None,
    typer.Option("--exclude", help="Words of the query to exclude, in place of a reader; may be repeated."),
]
Syntax = Annotated[bool, typer.Option("--syntax", help='The query is written with AND, OR, NOT, -word and "...".')]
Act = Annotated[bool, typer.Option("--act/--no-act", help="Act on exclusions, or only report what is read.")]


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """What commands that take one query have in common: the model, and how it reads."""

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
        """The options of reading, as ``Searcher`` and ``explain`` take them."""
        return {name: getattr(self, name) for name in ("reader", "documents", "strictness", "syntax", "act")}


def with_query_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the fields of ``QueryOptions`` as options, in the place of its parameter ``options``."""
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
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what typer makes options of
    return run
