"""boolattn read, search, explain: what a query excludes, and what that changes."""

import dataclasses
import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from boolattn.cli.errors import user_errors
from boolattn.cli.options import (
    AsJson,
    DocumentsAre,
    Excluded,
    HowSure,
    Index,
    QueryOptions,
    ReaderName,
    Syntax,
    note_undeclared,
    with_query_options,
)

if TYPE_CHECKING:
    from boolattn.reading.options import ReadingOptions
    from boolattn.reading.reading import Reading

Query = Annotated[
    str, typer.Argument(help="The query, in quotation marks; after -- if it starts with a minus.", show_default=False)
]


def _check_reading(query: str, options: QueryOptions) -> None:
    """Find mistakes in how a query is to be read before imports that take seconds."""
    from boolattn.reading.options import ReadingOptions

    # Exclusions and syntax are read here; plain English only once, later, as the model may choose the reader.
    exclude = options.exclude or (None if options.syntax else [])
    ReadingOptions(options.reader or "rules", syntax=options.syntax).read([query], exclude)


def read(
    query: Annotated[
        str | None, typer.Argument(help="The query, in quotation marks; - reads queries from standard input.")
    ] = None,
    file: Annotated[Path | None, typer.Option(help="Read the queries in this file, one per line.")] = None,
    reader: ReaderName = None,
    documents: DocumentsAre = None,
    strictness: HowSure = None,
    exclude: Excluded = None,
    syntax: Syntax = False,
    as_json: AsJson = False,
) -> None:
    """Show what a query excludes: what is seen, what is applied, and why the rest is not. Needs no model."""
    from boolattn.plans.search_plan import search_plan
    from boolattn.reading.options import ReadingOptions

    with user_errors():
        options = ReadingOptions(reader, documents or "pages", strictness or "safe", syntax)
        for each in _queries(query, file):
            [seen] = options.read([each], exclude)
            reading = options.decided(seen)
            if as_json:
                plan = search_plan(reading, options)
                found = {"reading": reading.to_dict(), "plan": plan.to_dict()}
                typer.echo(json.dumps(found, ensure_ascii=False))
            else:
                typer.echo("\n".join(_told(reading, options)))


def _queries(query: str | None, file: Path | None) -> Iterator[str]:
    """Yield the queries of the arguments, of a file or of standard input, without blank lines."""
    if (query is None) == (file is None):
        raise ValueError("give one query, or --file FILE, or - for standard input")
    if query is not None and query != "-":
        yield query
        return
    with file.open(encoding="utf-8") if file else nullcontext(sys.stdin) as lines:
        yield from (line.rstrip("\n") for line in lines if not line.isspace())


def _told(reading: "Reading", options: "ReadingOptions") -> Iterator[str]:
    """Yield the query, what is excluded with the number that decided, the plan, and what is not applied."""
    from boolattn.explanation.terminal import printable
    from boolattn.plans.search_plan import search_plan

    yield printable(reading.query)
    for each in reading.decisions or ():
        if each.is_applied:
            yield f'  excludes "{printable(each.exclusion.text)}": a {each.exclusion.kind}, {each.confidence:.2f}'
    if not (reading.exclusions or reading.remarks):
        yield "  excludes nothing: no exclusion was seen"
    yield f"  plan: {printable(str(search_plan(reading, options)))}"
    yield from (f"  {printable(remark)}" for remark in reading.remarks)


@with_query_options
def search(
    query: Query,
    index: Index,
    options: QueryOptions,
    k: Annotated[int, typer.Option("-k", min=1, max=10_000, help="Number of hits.")] = 10,
    where: Annotated[
        list[str] | None, typer.Option(help="A metadata filter, such as 'year>=1990'; may be repeated.")
    ] = None,
    strength: Annotated[float, typer.Option(min=0, help="Weight of unwanted words; see docs/search.md.")] = 1.0,
    hybrid: Annotated[bool, typer.Option("--hybrid", help="Merge hits of BM25 into a plain search.")] = False,
    verify: Annotated[
        bool, typer.Option(help="Let and, or and not order a larger pool of candidates, atom by atom.")
    ] = True,
    plain: Annotated[bool, typer.Option("--plain", help="Also show the plain model's hits, side by side.")] = False,
    as_json: AsJson = False,
) -> None:
    """Search an index, and show which part of the query raised or lowered each hit."""
    from boolattn.retrieval.index.checking import check_filters
    from boolattn.retrieval.index.open_index import open_index, parse_address
    from boolattn.retrieval.search.filter_syntax import filter_of, split_filter

    with user_errors():
        parse_address(index)
        for each in where or ():
            split_filter(each)
        if not isfinite(strength):
            raise ValueError(f"strength is {strength}: use a finite number from 0")
        _check_reading(query, options)
        opened = open_index(index)
        described = opened.describe()
        filters = [filter_of(each, described) for each in where or ()]
        check_filters(filters, described)

        from boolattn.backbones.storage.model_names import load_encoder
        from boolattn.explanation.hits import render_hits
        from boolattn.explanation.side_by_side import render_side_by_side
        from boolattn.retrieval.search.searcher import Searcher, SearchSettings

        model = load_encoder(options.model, options.backbone)
        settings = SearchSettings(text=hybrid, verify=verify, strength=strength)
        searcher = Searcher(model, opened, settings=settings, **options.reading)
        reading = searcher.read(query, options.exclude)
        acted_on = searcher.options.applied(reading)
        plan, hits = searcher.plan(acted_on), searcher.search(acted_on, k, filters)
        without = []
        if plain:
            unread = Searcher(model, opened, settings=SearchSettings(plan=False))
            without = unread.search(query, k, filters)
        opened.close()
    if described.documents is None and options.documents is None:
        note_undeclared(index)
    if as_json:
        found: dict[str, Any] = {"reading": reading.to_dict(), "plan": plan.to_dict()}
        found |= {"hits": [dataclasses.asdict(hit) for hit in hits]}
        found |= {"plain": [dataclasses.asdict(hit) for hit in without]} if plain else {}
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    for remark in reading.remarks:
        typer.echo(remark, err=True)
    Console().print(render_hits(plan, hits))
    if plain:
        Console().print("", render_side_by_side(without, hits), sep="\n")


@with_query_options
def explain(
    query: Query,
    options: QueryOptions,
    html: Annotated[
        Path | None, typer.Option(dir_okay=False, writable=True, help="Write an HTML page to this file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show how a query is read and, for a Boolean model, how that changes attention and the query's vector."""
    with user_errors():
        if html is not None and not html.absolute().parent.is_dir():
            raise ValueError(f"no folder {html.absolute().parent}: create it before writing {html.name}")
        _check_reading(query, options)

        from boolattn.backbones.storage.model_names import load_encoder
        from boolattn.explanation.query import explain as explain_query

        model = load_encoder(options.model, options.backbone)
        explanation = explain_query(model, query, exclude=options.exclude, **options.reading)
        if html is not None:
            from boolattn.explanation.html import page

            html.write_text(page(explanation), encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(explanation.to_dict(), indent=2))
        return
    from boolattn.explanation.terminal import render

    Console().print(render(explanation))
