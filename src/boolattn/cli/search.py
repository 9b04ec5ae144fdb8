"""boolattn search."""

import dataclasses
import json
from typing import Annotated, Any

import typer

from boolattn.cli.reading_options import Act, DocumentsAre, Excluded, HowSure, ReaderName, Syntax


def search(
    query: Annotated[str, typer.Argument(help="What to look for, in quotation marks.")],
    index: Annotated[str, typer.Option(help="The index, as boolattn index was given it.")],
    model: Annotated[
        str,
        typer.Option(
            envvar="BOOLATTN_MODEL",
            help="A Boolean model on the backbone that encoded the index: a shipped adapter, a saved one, or "
            "training-free:NAME.",
        ),
    ] = "minilm-l6",
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
    k: Annotated[int, typer.Option("-k", min=1, help="How many hits.")] = 10,
    where: Annotated[
        list[str] | None, typer.Option(help="A filter on metadata, such as 'year>=1990'; may be repeated.")
    ] = None,
    strength: Annotated[float, typer.Option(min=0, help="How much what is unwanted weighs; docs/search.md.")] = 1.0,
    text: Annotated[bool, typer.Option(help="Ask BM25 too, where the index has it.")] = True,
    verify: Annotated[bool, typer.Option(help="Score a broad pool of candidates anew, atom by atom.")] = True,
    plain: Annotated[bool, typer.Option("--plain", help="Show what the plain model finds, side by side.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Search an index, and show which part of the query raised or lowered each hit."""
    from rich.console import Console

    from boolattn.encoders.storage.model_names import load_encoder
    from boolattn.explanation.hits import render_beside, render_hits
    from boolattn.retrieval.index.open_index import open_index
    from boolattn.retrieval.search.filter_syntax import filter_of
    from boolattn.retrieval.search.searcher import Searcher, SearchSettings

    try:
        opened = open_index(index)
        described = opened.describe()
        filters = [filter_of(each, described) for each in where or ()]
        loaded = load_encoder(model, backbone)
        searcher = Searcher(
            loaded,
            opened,
            settings=SearchSettings(text=text, verify=verify, strength=strength),
            reader=reader,
            documents=documents,
            strictness=strictness,
            syntax=syntax,
            act=act,
        )
        reading = searcher.read(query, exclude)
        plan, hits = searcher.plan(reading), searcher.search(reading, k, filters)
        unread = Searcher(loaded, opened, settings=SearchSettings(plan=False, text=False, verify=False))
        without = unread.search(query, k, filters) if plain else []
        opened.close()
    except (ValueError, OSError, ImportError) as error:
        raise typer.BadParameter(str(error)) from error
    if as_json:
        found: dict[str, Any] = {"reading": reading.to_dict(), "plan": plan.to_dict()}
        found |= {"hits": [dataclasses.asdict(hit) for hit in hits]}
        found |= {"plain": [dataclasses.asdict(hit) for hit in without]} if plain else {}
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    Console().print(render_hits(plan, hits))
    if plain:
        Console().print("", render_beside(without, hits), sep="\n")
