"""boolattn-lab bench afternoon, pipeline, search, strengths: cost and quality of indexing and searching."""

import dataclasses
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from boolattn.cli.errors import user_errors
from boolattn.cli.options import DEFAULT_MODEL, AsJson, Backbone, Index, Model
from boolattn_lab.cli.options import AsMarkdown, Data

Keep = Annotated[Path | None, typer.Option(help="Folder to keep indexes in for reuse; by default, they are deleted.")]


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
    from boolattn.backbones.retrieval_model import retrieval_model
    from boolattn.backbones.storage.model_names import load_encoder, title_of
    from boolattn_lab.benchmarks.sets.generated import sample_queries
    from boolattn_lab.catalogs.expressions import TEMPLATES
    from boolattn_lab.catalogs.films import films_domain
    from boolattn_lab.costs.search_cost import measure_search
    from boolattn_lab.formats.folder import DataFolder

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
    benchmark: Annotated[str, typer.Argument(help="A benchmark that ranks documents: see lab/docs/benchmarks.md.")],
    model: Model,
    data: Data,
    backbone: Backbone = None,
    keep: Keep = None,
    as_markdown: AsMarkdown = False,
    as_json: AsJson = False,
) -> None:
    """Measure recall, violations and latency of each search stage: dense, BM25, hybrid, plan, verification."""
    from boolattn.backbones.storage.model_names import load_encoder, title_of
    from boolattn.retrieval.index.open_index import open_index
    from boolattn_lab.benchmarks.output import print_outcomes
    from boolattn_lab.benchmarks.sets import load_benchmark
    from boolattn_lab.benchmarks.tasks import RetrievalTask
    from boolattn_lab.costs.pipeline import BASES, index_documents, measure_pipeline
    from boolattn_lab.formats.folder import DataFolder

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
    print_outcomes(task, outcomes, "json" if as_json else "markdown" if as_markdown else "table", BASES)


def afternoon(
    benchmark: Annotated[str, typer.Argument(help="A benchmark that ranks documents: see lab/docs/benchmarks.md.")],
    data: Data,
    model: Model = DEFAULT_MODEL,
    as_markdown: AsMarkdown = False,
    as_json: AsJson = False,
) -> None:
    """Compare whole searches with an engine's own hybrid search and filters; with gold plans too, over recipes."""
    from boolattn.backbones.storage.model_names import load_encoder, title_of
    from boolattn_lab.benchmarks.afternoon import compare_with_an_afternoon
    from boolattn_lab.benchmarks.output import print_outcomes
    from boolattn_lab.benchmarks.sets import load_benchmark, recipes
    from boolattn_lab.benchmarks.sets.recipes import gold_plans
    from boolattn_lab.benchmarks.tasks import RetrievalTask
    from boolattn_lab.formats.folder import DataFolder

    with user_errors():
        task = load_benchmark(benchmark, DataFolder(data))
        if not isinstance(task, RetrievalTask):
            raise ValueError(f"{benchmark} has no corpus to search: choose a benchmark that ranks documents")
        gold = gold_plans(DataFolder(data), benchmark) if benchmark in recipes.QUERIES else None
        outcomes = list(compare_with_an_afternoon(task, load_encoder(model), title_of(model), gold))
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
    from boolattn.backbones.storage.model_names import load_encoder, title_of
    from boolattn.retrieval.index.open_index import open_index
    from boolattn_lab.benchmarks.sets.generated import exclusion_validation
    from boolattn_lab.benchmarks.sets.topics import topic_validation
    from boolattn_lab.costs.exclusion_strength import SHOWN, plot_curve, strength_curve
    from boolattn_lab.formats.folder import DataFolder

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
