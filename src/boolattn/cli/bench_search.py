"""boolattn dev bench index, pipeline, search, strengths: cost and quality of indexing and searching."""

import dataclasses
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from boolattn.cli.errors import user_errors
from boolattn.cli.options import DEFAULT_MODEL, AsJson, AsMarkdown, Backbone, Data, Index, Indexes, Model

Keep = Annotated[Path | None, typer.Option(help="Folder to keep indexes in for reuse; by default, they are deleted.")]


def index(
    index: Indexes,
    model: Model,
    data: Data,
    server_process: Annotated[int | None, typer.Option(help="For milvus://: the server's process ID.")] = None,
    server_folder: Annotated[Path | None, typer.Option(help="For milvus://: the server's data folder.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a plot to this PNG file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure time, disk and memory of indexing QUEST-partial's documents at growing corpus sizes.

    Each index is created, measured and dropped.
    """
    from boolattn.bench.growth import INDEX_SIZES, measure_index_growth, plot_index_growth
    from boolattn.bench.resources import Server

    server = Server(server_process, server_folder) if server_process and server_folder else None
    with user_errors(), Progress(console=Console(stderr=True)) as progress:
        measured = measure_index_growth(data, model, index, server)
        steps = list(progress.track(measured, total=len(INDEX_SIZES) * len(index), description="indexing"))
    if plot is not None:
        plot_index_growth(steps, plot)
    if as_json:
        typer.echo(json.dumps({"rows": [dataclasses.asdict(step) for step in steps]}, indent=2))
        return
    table = Table(
        "index", "documents", "seconds", "ms per search", "disk MB", "peak MB", title="indexing QUEST-partial"
    )
    for step in steps:
        figures = (step.index_seconds, step.search_ms, step.disk_mb, step.memory_mb)
        table.add_row(step.backend, f"{step.documents:,}", *(f"{figure:,.1f}" for figure in figures))
    Console().print(table)


def search(
    index: Index,
    data: Data,
    model: Model = DEFAULT_MODEL,
    backbone: Backbone = None,
    seconds: Annotated[float, typer.Option(help="Seconds to measure searches.")] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Compare encoding and searching films with the bare model and client; measure filtered recall and each stage.

    --index must not exist yet; it is created, measured and dropped.
    """
    from boolattn.bench.search_cost import measure_search
    from boolattn.data.folder import DataFolder
    from boolattn.encoders.retrieval_model import retrieval_model
    from boolattn.encoders.storage.model_names import load_encoder, title_of
    from boolattn.evaluation.benchmarks.generated import sample_queries
    from boolattn.generation.catalog.expressions import TEMPLATES
    from boolattn.generation.domains.films import films_domain

    with user_errors():
        films = films_domain(DataFolder(data))
        queries = [query.text for _, query in sample_queries(films.catalog, "meaning", "validation", tuple(TEMPLATES))]
        loaded = retrieval_model(load_encoder(model, backbone))
        cost = measure_search(loaded, title_of(model), index, films.documents, queries, seconds)
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(cost), indent=2))
        return
    table = Table("measure", "value", title=f"{cost.documents:,} films in {index}")
    table.add_row("encoding throughput / bare loop", f"{cost.encode_ratio:.3f}")
    table.add_row("search throughput, dense only / bare client", f"{cost.search_ratio:.3f}")
    for share, recall in cost.filtered_recall.items():
        table.add_row(f"recall@100, filter matching {float(share):.0%} of documents", f"{recall:.3f}")
    for stage, milliseconds in cost.stages_ms.items():
        table.add_row(f"search, {stage}, ms", f"{milliseconds:.1f}")
    Console().print(table)


def pipeline(
    benchmark: Annotated[str, typer.Argument(help="A benchmark that ranks documents; docs/benchmarks.md lists them.")],
    model: Model,
    data: Data,
    backbone: Backbone = None,
    keep: Keep = None,
    as_markdown: AsMarkdown = False,
    as_json: AsJson = False,
) -> None:
    """Measure recall, violations and latency of each search stage: dense, BM25, hybrid, plan, verification."""
    from boolattn.bench.pipeline import index_documents, measure_pipeline
    from boolattn.data.folder import DataFolder
    from boolattn.encoders.storage.model_names import load_encoder, title_of
    from boolattn.evaluation.benchmarks import load_benchmark
    from boolattn.evaluation.output import print_outcomes
    from boolattn.evaluation.tasks import RetrievalTask
    from boolattn.retrieval.index.open_index import open_index

    with user_errors():
        task = load_benchmark(benchmark, DataFolder(data))
        if not isinstance(task, RetrievalTask):
            raise ValueError(f"{benchmark} has no corpus to search: choose a benchmark that ranks documents")
        encoder = load_encoder(model, backbone)
        with _folder(keep) as folder:
            opened = open_index(f"lance://{folder}/{benchmark}")
            index_documents(opened, encoder, title_of(model), task)
            outcomes = list(measure_pipeline(task, encoder, opened))
            opened.close()
    print_outcomes(task, outcomes, "json" if as_json else "markdown" if as_markdown else "table")


def strengths(
    model: Model,
    data: Data,
    backbone: Backbone = None,
    keep: Keep = None,
    plot: Annotated[Path | None, typer.Option(help="Write the curve to this PNG file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure recall against violations at each exclusion strength, on generated validation queries."""
    from boolattn.bench.exclusion_strength import SHOWN, plot_curve, strength_curve
    from boolattn.data.folder import DataFolder
    from boolattn.encoders.storage.model_names import load_encoder, title_of
    from boolattn.evaluation.benchmarks.generated import exclusion_validation
    from boolattn.evaluation.benchmarks.topics import topic_validation
    from boolattn.retrieval.index.open_index import open_index

    with user_errors():
        encoder, benchmarks = load_encoder(model, backbone), DataFolder(data)
        tasks = [*exclusion_validation(benchmarks), *topic_validation(benchmarks)]
        with _folder(keep) as folder:
            points = strength_curve(
                tasks, encoder, title_of(model), lambda name: open_index(f"lance://{folder}/{name}")
            )
    if plot is not None:
        plot_curve(points, plot)
    if as_json:
        typer.echo(json.dumps({"rows": [dataclasses.asdict(point) for point in points]}, indent=2))
        return
    columns = [f"{task.name} {measure}" for measure in SHOWN for task in tasks]
    table = Table("strength", *columns, title="full pipeline, validation queries with an exclusion")
    for point in points:
        numbers = [point.measures[task.name][str(measure)] for measure in SHOWN for task in tasks]
        table.add_row(f"{point.strength:g}", *(f"{value:.3f}" for value in numbers))
    Console().print(table)


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    """Yield the given folder, or a temporary one."""
    if given is not None:
        yield given.resolve()
        return
    with TemporaryDirectory() as folder:
        yield Path(folder).resolve()
