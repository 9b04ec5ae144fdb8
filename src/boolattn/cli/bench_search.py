"""boolattn dev bench index, pipeline, search, strengths: what indexing and searching cost and gain."""

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

Keep = Annotated[
    Path | None, typer.Option(help="Folder to keep indexes in, and to find them in again; by default none is kept.")
]


def index(
    index: Indexes,
    model: Model,
    data: Data,
    server_process: Annotated[int | None, typer.Option(help="For milvus://: the server's process number.")] = None,
    server_folder: Annotated[Path | None, typer.Option(help="For milvus://: where the server keeps its data.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the growth as a PNG.")] = None,
    as_json: AsJson = False,
) -> None:
    """Time, disk and memory of an index of QUEST-partial's documents, from a part of them to all.

    Each index is made, measured and dropped.
    """
    from boolattn.bench.growth import INDEX_SIZES, Server, measure_index_growth, plot_index_growth

    server = Server(server_process, server_folder) if server_process and server_folder else None
    with user_errors(), Progress(console=Console(stderr=True)) as progress:
        measured = measure_index_growth(data, model, index, server)
        steps = list(progress.track(measured, total=len(INDEX_SIZES) * len(index), description="indexing"))
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


def search(
    index: Index,
    data: Data,
    model: Model = DEFAULT_MODEL,
    backbone: Backbone = None,
    seconds: Annotated[float, typer.Option(help="How long to measure searches.")] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Encoding and searching films next to the bare model and the bare client; recall under filters; each stage.

    The index has a new name; it is made, measured and dropped.
    """
    from boolattn.bench.search_cost import measure_search
    from boolattn.data.folder import DataFolder
    from boolattn.encoders.storage.model_names import load_boolean, title_of
    from boolattn.evaluation.benchmarks.generated import sample_queries
    from boolattn.generation.catalog.expressions import TEMPLATES
    from boolattn.generation.domains.films import films_domain

    with user_errors():
        films = films_domain(DataFolder(data))
        queries = [query.text for _, query in sample_queries(films.catalog, "meaning", "validation", tuple(TEMPLATES))]
        loaded = load_boolean(model, backbone)
        cost = measure_search(loaded, title_of(model), index, films.documents, queries, seconds)
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(cost), indent=2))
        return
    table = Table("what", "figure", title=f"{cost.documents:,} films in {index}")
    table.add_row("rate of encoding / of the bare loop", f"{cost.encode_ratio:.3f}")
    table.add_row("rate of searching, dense leg / of the bare client", f"{cost.search_ratio:.3f}")
    for share, recall in cost.filtered_recall.items():
        table.add_row(f"recall@100, filter that {float(share):.0%} fulfil", f"{recall:.3f}")
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
    """Recall, violations and milliseconds of a search, stage by stage: dense, BM25, hybrid, plan, verification."""
    from boolattn.bench.pipeline import index_documents, measure_pipeline
    from boolattn.data.folder import DataFolder
    from boolattn.encoders.storage.model_names import load_boolean, title_of
    from boolattn.evaluation.benchmarks import load_benchmark
    from boolattn.evaluation.output import print_outcomes
    from boolattn.evaluation.tasks import RetrievalTask
    from boolattn.retrieval.index.open_index import open_index

    with user_errors():
        task = load_benchmark(benchmark, DataFolder(data))
        if not isinstance(task, RetrievalTask):
            raise ValueError(f"{benchmark} ranks no documents of a corpus: there is nothing to search")
        encoder = load_boolean(model, backbone)
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
    plot: Annotated[Path | None, typer.Option(help="Draw the curve as a PNG.")] = None,
    as_json: AsJson = False,
) -> None:
    """Recall against violation over the strength of exclusion, on generated validation queries."""
    from boolattn.bench.exclusion_strength import SHOWN, plot_curve, strength_curve
    from boolattn.data.folder import DataFolder
    from boolattn.encoders.storage.model_names import load_boolean, title_of
    from boolattn.evaluation.benchmarks.generated import exclusion_validation, long_questions
    from boolattn.retrieval.index.open_index import open_index

    with user_errors():
        encoder, benchmarks = load_boolean(model, backbone), DataFolder(data)
        tasks = [*exclusion_validation(benchmarks), long_questions(benchmarks)]
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
    """Give the folder asked for, or one that goes away."""
    if given is not None:
        yield given.resolve()
        return
    with TemporaryDirectory() as folder:
        yield Path(folder).resolve()
