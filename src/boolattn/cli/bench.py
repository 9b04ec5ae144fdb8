"""boolattn dev bench: what things cost, and how settings were chosen."""

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from boolattn.cli.bench_search import index, pipeline, search, strengths
from boolattn.cli.errors import user_errors
from boolattn.cli.options import AsJson, Backbone, Data, Model
from boolattn.cli.train import Changes, Encoder, Out, RecipeFile, require_training

bench = typer.Typer(help="What things cost, and gain, measured.", no_args_is_help=True)
bench.command()(index)
bench.command()(pipeline)
bench.command()(search)
bench.command()(strengths)


@bench.command()
def overhead(
    encoder: Annotated[
        str | None, typer.Option(help="A pretrained encoder's folder; by default MiniLM-L6's shape, random weights.")
    ] = None,
    seconds: Annotated[
        float, typer.Option(help="How long to measure each shape with each attention implementation.")
    ] = 10.0,
    threads: Annotated[int | None, typer.Option(help="CPU threads; by default what torch takes.")] = None,
    shape: Annotated[
        list[str] | None, typer.Option(help="Batch and tokens, such as 32x64; may be repeated. All four by default.")
    ] = None,
    compiled: Annotated[bool, typer.Option("--compile", help="Measure torch.compile too; takes minutes.")] = False,
    as_json: AsJson = False,
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
            rows += measure(cell, encoder, seconds)
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
    model: Model,
    data: Data,
    plot: Annotated[Path | None, typer.Option(help="Draw the growth as a PNG.")] = None,
    as_json: AsJson = False,
) -> None:
    """Time and memory of ranking QUEST-partial, from a part of its documents to all; encodes them first if need be."""
    from boolattn.bench.growth import RANKING_SIZES, measure_growth, plot_growth

    with user_errors(), Progress(console=Console(stderr=True)) as progress:
        steps = list(progress.track(measure_growth(data, model), total=len(RANKING_SIZES), description="ranking"))
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
    model: Model,
    data: Data,
    as_json: AsJson = False,
) -> None:
    """Settings of the training-free mode on generated validation queries, and which to choose: the one in bold.

    Beside them, the plain model: "bare", and "rewritten", given what a query wants minus lambda times what it does not.
    """
    from boolattn.bench.training_free_settings import PENALTIES, SHOWN, STRENGTHS, choose, try_settings
    from boolattn.data.folder import DataFolder
    from boolattn.evaluation.benchmarks.generated import exclusion_validation

    with user_errors():
        tasks = exclusion_validation(DataFolder(data))
        with Progress(console=Console(stderr=True)) as progress:
            total = 2 + (1 + len(STRENGTHS)) * len(PENALTIES)
            tried = list(progress.track(try_settings(model, tasks), total=total, description="settings"))
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
    model: Model,
    data: Data,
    backbone: Backbone = None,
    seconds: Annotated[float, typer.Option(help="How long to measure.")] = 120.0,
    as_json: AsJson = False,
) -> None:
    """Time and vectors of encode_query next to the backbone's, on real queries from every source."""
    from boolattn.bench.query_cost import measure_query_cost
    from boolattn.data.folder import DataFolder
    from boolattn.encoders.storage.model_names import load_boolean

    with user_errors():
        cost = measure_query_cost(load_boolean(model, backbone), DataFolder(data), seconds)
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(cost), indent=2))
        return
    table = Table("source", "queries", "read as an exclusion", "vectors changed", title="real queries")
    for source, each in cost.sources.items():
        table.add_row(source, str(each.queries), str(each.read), str(each.changed))
    Console().print(table)
    for size, ratio in cost.ratios.items():
        typer.echo(f"encode_query / the backbone's encode, batch {size}: {ratio:.3f}")
    typer.echo(f"the screen passes {cost.screened:.1%} of queries on to the reader")
    typer.echo(f"the reader, one query, one thread: {cost.reader_milliseconds:.2f} ms")


@bench.command()
def training_step(
    recipe: RecipeFile,
    data: Data,
    seconds: Annotated[float, typer.Option(help="How long to measure; at least 18 steps of both models.")] = 60.0,
    changes: Changes = None,
    as_json: AsJson = False,
) -> None:
    """Time of a training step with BoolAttn, as a multiple of the same step without."""
    import torch

    from boolattn.bench.overhead import step_time_ratio
    from boolattn.data.folder import DataFolder
    from boolattn.training.recipes import change_of, load_recipe
    from boolattn.training.sources import load_training_data

    with user_errors():
        loaded = load_recipe(recipe, dict(map(change_of, changes or ())))
        ratio = step_time_ratio(loaded, load_training_data(DataFolder(data), loaded.data, loaded.seed), seconds)
    threads, batch = torch.get_num_threads(), loaded.training.batch_size
    if as_json:
        row = {"recipe": recipe.name, "batch": batch, "threads": threads, "ratio": ratio}
        typer.echo(json.dumps(row, indent=2))
        return
    typer.echo(f"a step of {batch} queries with BoolAttn / without: {ratio:.2f} ({threads} threads)")


@bench.command()
def reader(
    recipe: RecipeFile,
    data: Data,
    out: Out,
    encoder: Encoder = None,
    plot: Annotated[Path | None, typer.Option(help="Folder to draw the curve and the reliability plot to.")] = None,
    changes: Changes = None,
) -> None:
    """Measure a recipe: five readers for each seed, and their mean, read the fifth they were not trained on."""
    require_training()
    from boolattn.data.folder import DataFolder
    from boolattn.training.reader.folds import measure_recipe
    from boolattn.training.reader.recipe import load_reader_recipe
    from boolattn.training.recipes import change_of

    with user_errors():
        chosen = load_reader_recipe(recipe, dict(map(change_of, changes or ())), encoder)
        found = measure_recipe(chosen, DataFolder(data), out, plot)
    typer.echo(json.dumps(found, indent=2))
