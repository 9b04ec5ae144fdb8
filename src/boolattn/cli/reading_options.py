"""The options of commands that read queries."""

from typing import Annotated

import typer

from boolattn.reading.reading import Documents, Strictness

ReaderName = Annotated[
    str | None, typer.Option("--reader", help="Who reads the query: learned, rules, or a trained reader's folder.")
]
DocumentsAre = Annotated[
    Documents | None,
    typer.Option(
        "--documents",
        help="What the documents are: things, such as films and products, or pages about them. By default as the index "
        "says, or pages.",
    ),
]
HowSure = Annotated[
    Strictness | None, typer.Option("--strictness", help="How sure the learned reader must be of an exclusion.")
]
Excluded = Annotated[
    list[str] | None, typer.Option("--exclude", help="Words of the query to exclude, in place of a reader; repeat.")
]
Syntax = Annotated[bool, typer.Option("--syntax", help='The query is written with AND, OR, NOT, -word and "...".')]
Act = Annotated[bool, typer.Option("--act/--no-act", help="Act on exclusions, or only report what is read.")]
