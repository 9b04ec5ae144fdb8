"""boolattn bench: what things cost."""

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from boolattn.cli.bench_index import index
from boolattn.cli.bench_pipeline import pipeline, strengths
from boolattn.cli.bench_search import search
from boolattn.cli.train import Changes, RecipeFile

bench = typer.Typer(help="What things cost, and gain, measured.", no_args_is_help=True)
bench.command()(index)
bench.command()(pipeline)
bench.command()(search)
bench.command()(strengths)


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

    from boolattn.bench.overhead import SHAPES, Row, cells, measure

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
    from boolattn.bench.growth import RANKING_SIZES, measure_growth, plot_growth

    try:
        with Progress(console=Console(stderr=True)) as progress:
            steps = list(progress.track(measure_growth(data, model), total=len(RANKING_SIZES), description="ranking"))
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


@bench.command()
def training_free(
    model: Annotated[str, typer.Option(help="A sentence-transformers folder or hub name.")],
    data: Annotated[Path, typer.Option(envvar="BOOLATTN_DATA", help="The folder with the benchmarks' data.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Settings of the training-free mode on generated validation queries, and which to choose: the one in bold.

    Beside them, the plain model: "bare", and "rewritten", given what a query wants minus lambda times what it does not.
    """
    from boolattn.bench.training_free_settings import PENALTIES, SHOWN, STRENGTHS, choose, try_settings
    from boolattn.data.folder import DataFolder
    from boolattn.evaluation.benchmarks.generated import exclusion_validation

    try:
        tasks = exclusion_validation(DataFolder(data))
        with Progress(console=Console(stderr=True)) as progress:
            total = 2 + (1 + len(STRENGTHS)) * len(PENALTIES)
            tried = list(progress.track(try_settings(model, tasks), total=total, description="settings"))
    except (ValueError, OSError) as error:
        raise typer.BadParameter(str(error)) from error
    chosen = choose(tried)
    if as_json:
        shown = ("strength", "penalty", "measures", "score")
        rows = [{name: getattr(setting, name) for name in shown} for setting in tried]
        typer.echo(json.dumps({"rows": rows, "chosen": rows[tried.index(chosen)]}, indent=2))
        return
    columns = [f"{task.name} {measure}" for task in tasks for measure in SHOWN]
    table = Table("strength", "lambda", *columns, "mean nDCG@10", title="training-free mode, validation queries")
    for setting in tried:
        numbers = [setting.measures[task.name][str(measure)] for task in tasks for measure in SHOWN]
        way = f"{setting.strength:g}" if setting.strength else "bare" if setting.penalty is None else "rewritten"
        table.add_row(
            way,
            "" if setting.penalty is None else f"{setting.penalty:g}",
            *(f"{value:.3f}" for value in [*numbers, setting.score]),
            style="bold" if setting is chosen else "",
        )
    Console().print(table)


@bench.command()
def queries(
    model: Annotated[
        str, typer.Option(help="A shipped adapter, a saved Boolean model, or training-free:NAME for a plain one.")
    ],
    data: Annotated[Path, typer.Option(envvar="BOOLATTN_DATA", help="The folder with the benchmarks' data.")],
    backbone: Annotated[
        str | None,
        typer.Option(envvar="BOOLATTN_BACKBONE", help="The backbone of a shipped adapter: a folder or hub name."),
    ] = None,
    seconds: Annotated[float, typer.Option(help="How long to measure.")] = 120.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Time and vectors of encode_query next to the backbone's, for queries without and with an exclusion."""
    from boolattn.bench.query_cost import measure_query_cost
    from boolattn.data.folder import DataFolder
    from boolattn.encoders.storage.model_names import UnknownModelError, load_boolean

    try:
        cost = measure_query_cost(load_boolean(model, backbone), DataFolder(data), seconds)
    except (UnknownModelError, ValueError, OSError) as error:
        raise typer.BadParameter(str(error)) from error
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(cost), indent=2))
        return
    table = Table("queries", "count", "time / backbone's", "vectors", title="encode_query next to the bare encode")
    same = "identical" if cost.identical else "NOT identical"
    alarms = f"{same}; {cost.false_alarms} false alarms left out"
    table.add_row("ordinary", str(cost.ordinary), f"{cost.ordinary_ratio:.3f}", alarms)
    table.add_row("with an exclusion", str(cost.excluding), f"{cost.excluding_ratio:.3f}", "moved")
    Console().print(table)


@bench.command()
def training_step(
    recipe: RecipeFile,
    data: Annotated[Path, typer.Option(envvar="BOOLATTN_DATA", help="The folder with the training data.")],
    seconds: Annotated[float, typer.Option(help="How long to measure; at least 18 steps of both models.")] = 60.0,
    changes: Changes = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a line.")] = False,
) -> None:
    """Time of a training step with BoolAttn, as a multiple of the same step without."""
    import torch

    from boolattn.bench.overhead import step_time_ratio
    from boolattn.data.folder import DataFolder
    from boolattn.data.rows.bad_rows import BadRowError
    from boolattn.training.recipes import change_of, load_recipe
    from boolattn.training.sources import load_training_data

    try:
        loaded = load_recipe(recipe, dict(map(change_of, changes or ())))
        ratio = step_time_ratio(loaded, load_training_data(DataFolder(data), loaded.data, loaded.seed), seconds)
    except (ValueError, OSError, BadRowError) as error:
        raise typer.BadParameter(str(error)) from error
    threads, batch = torch.get_num_threads(), loaded.training.batch_size
    if as_json:
        row = {"recipe": recipe.name, "batch": batch, "threads": threads, "ratio": ratio}
        typer.echo(json.dumps(row, indent=2))
        return
    typer.echo(f"a step of {batch} queries with BoolAttn / without: {ratio:.2f} ({threads} threads)")
