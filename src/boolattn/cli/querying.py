"""boolattn search, boolattn explain: one query, with the same model and the same options."""

import dataclasses
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from boolattn.cli.errors import user_errors
from boolattn.cli.options import AsJson, Index, QueryOptions, with_query_options

Query = Annotated[
    str, typer.Argument(help="The query, in quotation marks; after -- if it begins with a minus.", show_default=False)
]


@with_query_options
def search(
    query: Query,
    index: Index,
    options: QueryOptions,
    k: Annotated[int, typer.Option("-k", min=1, help="How many hits.")] = 10,
    where: Annotated[
        list[str] | None, typer.Option(help="A filter on metadata, such as 'year>=1990'; may be repeated.")
    ] = None,
    strength: Annotated[float, typer.Option(min=0, help="How much what is unwanted weighs; docs/search.md.")] = 1.0,
    text: Annotated[bool, typer.Option(help="Ask BM25 too, where the index has it.")] = True,
    verify: Annotated[bool, typer.Option(help="Score a broad pool of candidates again, atom by atom.")] = True,
    plain: Annotated[bool, typer.Option("--plain", help="Show what the plain model finds, side by side.")] = False,
    as_json: AsJson = False,
) -> None:
    """Search an index, and show which part of the query raised or lowered each hit."""
    from boolattn.encoders.storage.model_names import load_encoder
    from boolattn.explanation.hits import render_beside, render_hits
    from boolattn.retrieval.index.open_index import open_index
    from boolattn.retrieval.search.filter_syntax import filter_of
    from boolattn.retrieval.search.searcher import Searcher, SearchSettings

    with user_errors():
        opened = open_index(index)
        described = opened.describe()
        filters = [filter_of(each, described) for each in where or ()]
        model = load_encoder(options.model, options.backbone)
        settings = SearchSettings(text=text, verify=verify, strength=strength)
        searcher = Searcher(model, opened, settings=settings, **options.reading)
        reading = searcher.read(query, options.exclude)
        plan, hits = searcher.plan(reading), searcher.search(reading, k, filters)
        without = []
        if plain:
            unread = Searcher(model, opened, settings=SearchSettings(plan=False, text=False, verify=False))
            without = unread.search(query, k, filters)
        opened.close()
    if as_json:
        found: dict[str, Any] = {"reading": reading.to_dict(), "plan": plan.to_dict()}
        found |= {"hits": [dataclasses.asdict(hit) for hit in hits]}
        found |= {"plain": [dataclasses.asdict(hit) for hit in without]} if plain else {}
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    Console().print(render_hits(plan, hits))
    if plain:
        Console().print("", render_beside(without, hits), sep="\n")


@with_query_options
def explain(
    query: Query,
    options: QueryOptions,
    html: Annotated[Path | None, typer.Option(help="Write a page to look at in a browser.")] = None,
    png: Annotated[Path | None, typer.Option(help="Draw cues, scopes, biases and attention, layer by layer.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what is understood of a query, and what that does to attention and to the query's vector."""
    for path in (html, png):
        if path is not None and not path.absolute().parent.is_dir():
            raise typer.BadParameter(f"there is no folder {path.absolute().parent} to write {path.name} to")
    from boolattn.encoders.storage.model_names import load_boolean
    from boolattn.explanation.query import explain as explain_query

    with user_errors():
        model = load_boolean(options.model, options.backbone)
        explanation = explain_query(model, query, exclude=options.exclude, **options.reading)
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
