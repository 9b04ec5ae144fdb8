"""boolattn-lab scale: how far encoding, vectors and indexes scale."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from boolattn.cli.errors import user_errors
from boolattn.cli.options import Model
from boolattn_lab.cli.options import AsMarkdown, Data


def scale(
    model: Model,
    data: Data,
    out: Annotated[Path, typer.Option(help="Folder for results and vectors; what is there is not measured again.")],
    sizes: Annotated[str, typer.Option(help="Numbers of vectors, with commas between.")] = "10000,100000,300000",
    engine: Annotated[
        list[str] | None, typer.Option(help="lance, or milvus://host:port; may be repeated. Default: lance.")
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option(help="Only this: encoding, quantisation, engines, ivf-pq, ray or none; may be repeated."),
    ] = None,
    exported: Annotated[
        Path | None, typer.Option(help="The model from boolattn export, to encode the real texts faster.")
    ] = None,
    real: Annotated[int, typer.Option(min=100, help="Vectors of real texts; the others are copies with jitter.")] = (
        100_000
    ),
    queries: Annotated[int, typer.Option(min=1, help="Queries; each is a plain and a signed vector.")] = 200,
    seed: Annotated[int, typer.Option(help="Chooses texts, queries and jitter.")] = 0,
    server_process: Annotated[int | None, typer.Option(help="For milvus://: the server's process ID.")] = None,
    server_folder: Annotated[Path | None, typer.Option(help="For milvus://: the server's data folder.")] = None,
    as_markdown: AsMarkdown = False,
) -> None:
    """Measure how far this scales: encoding, quantisation, indexes of growing size, a killed Ray node.

    Takes minutes for 100,000 vectors and an hour for a million. An interrupted run resumes. Indexes are dropped.
    """
    from boolattn_lab.costs.resources import Server
    from boolattn_lab.costs.scale.run import PARTS, Scale, run_scale
    from boolattn_lab.costs.scale.tables import tables
    from boolattn_lab.formats.folder import DataFolder

    parts = [] if part == ["none"] else part or list(PARTS)
    if wrong := [each for each in parts if each not in PARTS]:
        raise typer.BadParameter(f"--part {wrong[0]}: use one of {', '.join(PARTS)}, none")
    try:
        numbers = sorted(int(size) for size in sizes.split(","))
    except ValueError as error:
        raise typer.BadParameter(f"--sizes {sizes}: write numbers with commas between, such as 10000,100000") from error
    engines = engine or ["lance"]
    server = Server(server_process, server_folder) if server_process and server_folder else None
    if server is None and any(each != "lance" for each in engines):
        raise typer.BadParameter("milvus:// is a server: give --server-process and --server-folder")
    console = Console(stderr=True)
    with user_errors():
        settings = Scale(DataFolder(data), out, model, exported, numbers, engines, server, real, queries, seed)
        run_scale(settings, parts, lambda doing: console.rule(doing, align="left"))
        shown: list[tuple[str, list[str], list[list[str]]]] = tables(settings.results)
    for title, columns, rows in shown:
        if as_markdown:
            lines = (" | ".join(row) for row in (columns, ["---"] * len(columns), *rows))
            typer.echo(f"\n**{title}**\n\n" + "\n".join(f"| {line} |" for line in lines))
            continue
        table = Table(*columns, title=title, title_justify="left")
        for row in rows:
            table.add_row(*row)
        Console().print(table)
