"""The command line: ``boolattn --help``."""

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from boolattn import __version__

app = typer.Typer(help="Dense retrieval that understands and, or and not.", no_args_is_help=True)
bench = typer.Typer(help="What things cost, measured.", no_args_is_help=True)
app.add_typer(bench, name="bench")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Dense retrieval that understands and, or and not."""


@app.command()
def evaluate(
    benchmark: Annotated[str, typer.Argument(help="Which benchmark; docs/benchmarks.md lists them.")],
    model: Annotated[
        list[str],
        typer.Option(help="A sentence-transformers folder or hub name, 'bm25' or 'rules'; repeat to compare."),
    ],
    data: Annotated[Path, typer.Option(envvar="BOOLATTN_DATA", help="The folder with the benchmarks' data.")],
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave bad rows out and count them.")] = False,
    run: Annotated[Path | None, typer.Option(help="Folder to write each model's ranking to, as a TREC run.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Folder to draw each measure by template to, as PNG.")] = None,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure models on a benchmark; several models are compared with the first by a paired bootstrap."""
    from boolattn.data.bad_rows import BadRowError, SkipBad
    from boolattn.evaluation.benchmarks import UnknownBenchmarkError, load_benchmark
    from boolattn.evaluation.output import print_outcomes, write_figures, write_runs
    from boolattn.evaluation.running import WrongSystemError
    from boolattn.evaluation.running import evaluate as evaluate_system
    from boolattn.evaluation.systems import UnknownModelError, load_system
    from boolattn.evaluation.tasks import DataFolder

    skip = SkipBad() if skip_bad else None
    try:
        systems = [load_system(name) for name in model]
        task = load_benchmark(benchmark, DataFolder(data, skip))
        outcomes = [evaluate_system(task, system) for system in systems]
    except (BadRowError, UnknownModelError, UnknownBenchmarkError, WrongSystemError, OSError, ImportError) as error:
        raise typer.BadParameter(str(error)) from error
    for (file, field), count in skip.counts.items() if skip is not None else ():
        typer.echo(f"left out {count} bad rows of {file} (field {field})", err=True)
    print_outcomes(task, outcomes, "json" if as_json else "markdown" if as_markdown else "table")
    if run is not None:
        write_runs(outcomes, run)
    if plot is not None:
        write_figures(outcomes, plot)


@bench.command()
def overhead(
    model: Annotated[
        str | None, typer.Option(help="Encoder folder; by default MiniLM-L6's shape with random weights.")
    ] = None,
    seconds: Annotated[
        float, typer.Option(help="How long to measure each shape with each attention implementation.")
    ] = 10.0,
    threads: Annotated[int | None, typer.Option(help="CPU threads; by default what torch takes.")] = None,
    shape: Annotated[
        list[str] | None, typer.Option(help="Batch and tokens, such as 32x64; may be repeated. All four by default.")
    ] = None,
    compiled: Annotated[bool, typer.Option("--compile", help="Measure torch.compile too; takes minutes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Latency of an encoder with BoolAttn, as a multiple of the same encoder without."""
    import torch

    from boolattn.evaluation.overhead import SHAPES, Row, cells, measure

    if threads is not None:
        torch.set_num_threads(threads)
    try:
        shapes = [(int(batch), int(tokens)) for batch, tokens in (each.split("x") for each in shape or ())]
    except ValueError as error:
        raise typer.BadParameter(f"a shape is batch x tokens, such as 32x64, not {shape}") from error
    rows: list[Row] = []
    with Progress(console=Console(stderr=True)) as progress:
        for cell in progress.track(cells(shapes or SHAPES, compiled), description="measuring"):
            rows += measure(cell, model, seconds)
    if as_json:
        typer.echo(json.dumps({"rows": [dataclasses.asdict(row) for row in rows]}, indent=2))
        return
    table = Table(title="time with BoolAttn / time without (median of alternating calls)")
    for name in ("attention", "batch", "tokens", "threads", "bare ms", "variant", "gates", "ratio"):
        table.add_column(
            name, justify="right" if name in ("batch", "tokens", "threads", "bare ms", "ratio") else "left"
        )
    for row in rows:
        kind = f"{row.attention}, compiled" if row.compiled else row.attention
        where = (str(row.batch), str(row.tokens), str(row.threads), f"{row.bare_ms:.1f}")
        table.add_row(kind, *where, row.variant, row.gates, f"{row.ratio:.2f}")
    Console().print(table)


@bench.command()
def ranking(
    model: Annotated[str, typer.Option(help="A sentence-transformers folder or hub name.")],
    data: Annotated[Path, typer.Option(envvar="BOOLATTN_DATA", help="The folder with the benchmarks' data.")],
    plot: Annotated[Path | None, typer.Option(help="Draw the growth as a PNG.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Time and memory of ranking QUEST-partial, from a part of its documents to all; encodes them first if need be."""
    from boolattn.evaluation.growth import SIZES, measure_growth, plot_growth

    try:
        with Progress(console=Console(stderr=True)) as progress:
            steps = list(progress.track(measure_growth(data, model), total=len(SIZES), description="ranking"))
    except (ValueError, OSError) as error:
        raise typer.BadParameter(str(error)) from error
    if plot is not None:
        plot_growth(steps, plot)
    if as_json:
        typer.echo(json.dumps({"rows": [dataclasses.asdict(step) for step in steps]}, indent=2))
        return
    table = Table("documents", "seconds", "peak MB", title="ranking QUEST-partial")
    for step in steps:
        table.add_row(f"{step.documents:,}", f"{step.seconds:.1f}", f"{step.peak_mb:.0f}")
    Console().print(table)
