"""boolattn-lab bench: measure cost, and choose settings."""

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from boolattn.cli.errors import user_errors
from boolattn.cli.options import AsJson, Backbone, Model
from boolattn_lab.benchmarks.esci_150.command import esci_150
from boolattn_lab.cli.bench_harm import operators_harm
from boolattn_lab.cli.bench_reading import plans, reading_length
from boolattn_lab.cli.bench_search import afternoon, pipeline, search, strengths
from boolattn_lab.cli.bench_service import service
from boolattn_lab.cli.options import Data
from boolattn_lab.cli.train import Changes, Encoder, Out, RecipeFile

bench = typer.Typer(help="Measure cost and quality.", no_args_is_help=True)
bench.command()(afternoon)
bench.command()(esci_150)
bench.command()(operators_harm)
bench.command()(pipeline)
bench.command()(plans)
bench.command()(reading_length)
bench.command()(search)
bench.command()(service)
bench.command()(strengths)


@bench.command()
def overhead(
    encoder: Annotated[
        str | None, typer.Option(help="Folder of a pretrained encoder; default: MiniLM-L6's shape, random weights.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Seconds per shape and attention implementation.")] = 10.0,
    threads: Annotated[int | None, typer.Option(help="CPU threads; by default, torch's own choice.")] = None,
    shape: Annotated[
        list[str] | None, typer.Option(help="Batch x tokens, such as 32x64; may be repeated. Default: all four.")
    ] = None,
    compiled: Annotated[bool, typer.Option("--compile", help="Also measure torch.compile; takes minutes.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure the latency of an encoder with BoolAttn, as a multiple of the same encoder without it."""
    import torch

    from boolattn_lab.costs.overhead import SHAPES, Row, cells, measure

    if threads is not None:
        torch.set_num_threads(threads)
    try:
        shapes = [(int(batch), int(tokens)) for batch, tokens in (each.split("x") for each in shape or ())]
    except ValueError as error:
        raise typer.BadParameter(f"write a shape as batch x tokens, such as 32x64, not {shape}") from error
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
    plot: Annotated[Path | None, typer.Option(help="Write a plot to this PNG file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure time and memory of ranking QUEST-partial at growing corpus sizes; encodes documents first if needed."""
    from boolattn_lab.costs.growth import RANKING_SIZES, measure_growth, plot_growth

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
    """Compare settings of the training-free mode on generated validation queries; the recommended one is in bold.

    The table also shows the plain model: "bare", and "rewritten", which encodes the wanted part of a query minus lambda
    times the excluded part.
    """
    from boolattn_lab.benchmarks.sets.generated import exclusion_validation
    from boolattn_lab.benchmarks.sets.topics import topic_validation
    from boolattn_lab.costs.training_free_settings import PENALTIES, SHOWN, STRENGTHS, choose, try_settings
    from boolattn_lab.formats.folder import DataFolder

    with user_errors():
        folder = DataFolder(data)
        tasks = [*exclusion_validation(folder), *topic_validation(folder)]
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
    seconds: Annotated[float, typer.Option(help="Seconds to measure.")] = 120.0,
    as_json: AsJson = False,
) -> None:
    """Compare encode_query with the backbone's encode on real queries from every source: time and vectors."""
    from boolattn.backbones.retrieval_model import retrieval_model
    from boolattn.backbones.storage.model_names import load_encoder
    from boolattn_lab.costs.query_cost import measure_query_cost
    from boolattn_lab.formats.folder import DataFolder

    with user_errors():
        cost = measure_query_cost(retrieval_model(load_encoder(model, backbone)), DataFolder(data), seconds)
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
    typer.echo(f"the screen, one query: {cost.screen_microseconds:.1f} µs")
    typer.echo(f"the reader, one query, one thread: {cost.reader_milliseconds:.2f} ms")


@bench.command()
def training_step(
    recipe: RecipeFile,
    data: Data,
    seconds: Annotated[float, typer.Option(help="Seconds to measure; at least 18 steps of each model.")] = 60.0,
    changes: Changes = None,
    as_json: AsJson = False,
) -> None:
    """Measure the time of a training step with BoolAttn, as a multiple of the same step without it."""
    import torch

    from boolattn_lab.costs.overhead import step_time_ratio
    from boolattn_lab.formats.folder import DataFolder
    from boolattn_lab.paper.recipes import change_of, load_recipe
    from boolattn_lab.paper.sources import load_training_data

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
    plot: Annotated[Path | None, typer.Option(help="Folder for plots: the curve and the reliability diagram.")] = None,
    changes: Changes = None,
) -> None:
    """Cross-validate a reader recipe in five folds: each query is read by models that were not trained on it."""
    from boolattn_lab.formats.folder import DataFolder
    from boolattn_lab.paper.recipes import change_of
    from boolattn_lab.reader.folds import measure_recipe
    from boolattn_lab.reader.recipe import load_reader_recipe

    with user_errors():
        chosen = load_reader_recipe(recipe, dict(map(change_of, changes or ())), encoder)
        found = measure_recipe(chosen, DataFolder(data), out, plot)
    typer.echo(json.dumps(found, indent=2))


@bench.command()
def backends(
    model: Model,
    data: Data,
    out: Annotated[Path, typer.Option(help="Folder for the exported encoders; existing ones are used.")],
    seconds: Annotated[float, typer.Option(help="Seconds to measure.")] = 120.0,
    threads: Annotated[int, typer.Option(help="CPU threads.")] = 1,
    ndcg: Annotated[bool, typer.Option("--ndcg", help="Also measure nDCG@10 on negconstraint; takes minutes.")] = False,
) -> None:
    """Compare a plain model in torch, onnxruntime and OpenVINO, alone and with the reader."""
    import torch
    from sentence_transformers import SentenceTransformer

    from boolattn.backbones.storage.model_names import title_of
    from boolattn_lab.costs.backends import TORCH, difference, measure_latency, quality
    from boolattn_lab.costs.backends import backends as in_all_backends
    from boolattn_lab.formats.folder import DataFolder

    with user_errors():
        torch.set_num_threads(threads)
        folder = DataFolder(data)
        found = in_all_backends(SentenceTransformer(model, device="cpu"), out, title_of(model), threads)
        latency, cosine = measure_latency(found, folder, seconds), difference(found, folder)
        table = Table("backend", "ms", "torch / this", "with reader", "ratio", "least cosine", *(["nDCG@10"] * ndcg))
        for each in found:
            row = latency[each.name]
            table.add_row(
                each.name,
                f"{row.alone:.2f}",
                f"{latency[TORCH].alone / row.alone:.2f}",
                f"{row.with_reader:.2f}",
                f"{row.with_reader / row.alone:.3f}",
                f"{cosine[each.name]:.4f}",
                *([f"{quality(each, folder):.3f}"] if ndcg else []),
            )
    Console().print(table)
