"""boolattn bench index."""

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table


def index(
    index: Annotated[list[str], typer.Option(help="Where to make an index, and to drop it; may be repeated.")],
    model: Annotated[str, typer.Option(help="A sentence-transformers folder or hub name.")],
    data: Annotated[Path, typer.Option(envvar="BOOLATTN_DATA", help="The folder with the benchmarks' data.")],
    server_process: Annotated[int | None, typer.Option(help="For milvus://: the server's process number.")] = None,
    server_folder: Annotated[Path | None, typer.Option(help="For milvus://: where the server keeps its data.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the growth as a PNG.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Time, disk and memory of an index of QUEST-partial's documents, from a part of them to all."""
    from boolattn.bench.index_growth import SIZES, Server, measure_index_growth, plot_index_growth

    server = Server(server_process, server_folder) if server_process and server_folder else None
    try:
        with Progress(console=Console(stderr=True)) as progress:
            measured = measure_index_growth(data, model, index, server)
            steps = list(progress.track(measured, total=len(SIZES) * len(index), description="indexing"))
    except (ValueError, OSError, ImportError) as error:
        raise typer.BadParameter(str(error)) from error
    if plot is not None:
        plot_index_growth(steps, plot)
    if as_json:
        typer.echo(json.dumps({"rows": [dataclasses.asdict(step) for step in steps]}, indent=2))
        return
    table = Table("index", "documents", "seconds", "ms a search", "disk MB", "peak MB", title="QUEST-partial, indexed")
    for step in steps:
        figures = (step.index_seconds, step.search_ms, step.disk_mb, step.memory_mb)
        table.add_row(step.backend, f"{step.documents:,}", *(f"{figure:,.1f}" for figure in figures))
    Console().print(table)
