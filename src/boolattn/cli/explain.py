"""boolattn explain."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from boolattn.cli.reading_options import Act, DocumentsAre, Excluded, HowSure, ReaderName, Syntax


def explain(
    query: Annotated[str, typer.Argument(help="The query, in quotation marks; after -- if it begins with a minus.")],
    model: Annotated[
        str,
        typer.Option(
            envvar="BOOLATTN_MODEL",
            help="A shipped adapter, a saved Boolean model, or training-free:NAME for any sentence-transformers model.",
        ),
    ] = "training-free:sentence-transformers/all-MiniLM-L6-v2",
    backbone: Annotated[
        str | None,
        typer.Option(envvar="BOOLATTN_BACKBONE", help="The backbone of a shipped adapter: a folder or hub name."),
    ] = None,
    reader: ReaderName = None,
    documents: DocumentsAre = None,
    strictness: HowSure = None,
    exclude: Excluded = None,
    syntax: Syntax = False,
    act: Act = True,
    html: Annotated[Path | None, typer.Option(help="Write a page to look at in a browser.")] = None,
    png: Annotated[Path | None, typer.Option(help="Draw cues, scopes, biases and attention, layer by layer.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what is understood of a query, and what that does to attention and to the query's vector."""
    for path in (html, png):
        if path is not None and not path.absolute().parent.is_dir():
            raise typer.BadParameter(f"there is no folder {path.absolute().parent} to write {path.name} to")
    from boolattn.encoders.storage.model_names import UnknownModelError, load_boolean
    from boolattn.explanation.query import explain as explain_query

    try:
        explanation = explain_query(
            load_boolean(model, backbone),
            query,
            exclude=exclude,
            reader=reader,
            documents=documents,
            strictness=strictness,
            syntax=syntax,
            act=act,
        )
    except (UnknownModelError, ValueError) as error:
        raise typer.BadParameter(str(error)) from error
    if html is not None:
        from boolattn.explanation.html import page

        html.write_text(page(explanation), encoding="utf-8")
    if png is not None:
        from boolattn.explanation.picture import draw

        draw(explanation, png)
    if as_json:
        typer.echo(json.dumps(explanation.to_dict(), indent=2))
        return
    from boolattn.explanation.terminal import render

    Console().print(render(explanation))
