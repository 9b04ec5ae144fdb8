"""boolattn bench pipeline, boolattn bench strengths: what the stages of a search gain, and how strongly to exclude."""

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

Model = Annotated[
    str, typer.Option(help="A shipped adapter, a saved Boolean model, or training-free:NAME for a plain one.")
]
Data = Annotated[Path, typer.Option(envvar="BOOLATTN_DATA", help="The folder with the benchmarks' data.")]
Backbone = Annotated[
    str | None,
    typer.Option(envvar="BOOLATTN_BACKBONE", help="The backbone of a shipped adapter: a folder or hub name."),
]
IndexFolder = Annotated[
    Path | None, typer.Option(help="Folder to keep indexes in, and to find them in again; by default none is kept.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def pipeline(
    benchmark: Annotated[str, typer.Argument(help="A benchmark that ranks documents; docs/benchmarks.md lists them.")],
    model: Model,
    data: Data,
    backbone: Backbone = None,
    index_folder: IndexFolder = None,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    as_json: AsJson = False,
) -> None:
    """Recall, violations and milliseconds of a search, stage by stage: dense, BM25, hybrid, plan, verification."""
    from boolattn.bench.pipeline import index_documents, measure_pipeline
    from boolattn.encoders.storage.model_names import load_boolean, title_of
    from boolattn.evaluation.benchmarks import load_benchmark
    from boolattn.evaluation.output import print_outcomes
    from boolattn.evaluation.tasks import DataFolder, RetrievalTask
    from boolattn.retrieval.index.open_index import open_index

    try:
        task = load_benchmark(benchmark, DataFolder(data))
        if not isinstance(task, RetrievalTask):
            raise ValueError(f"{benchmark} ranks no documents of a corpus: there is nothing to search")
        encoder = load_boolean(model, backbone)
        with _folder(index_folder) as folder:
            opened = open_index(f"lance://{folder}/{benchmark}")
            index_documents(opened, encoder, title_of(model), task)
            outcomes = list(measure_pipeline(task, encoder, opened))
            opened.close()
    except (ValueError, OSError, ImportError) as error:
        raise typer.BadParameter(str(error)) from error
    print_outcomes(task, outcomes, "json" if as_json else "markdown" if as_markdown else "table")


def strengths(
    model: Model,
    data: Data,
    backbone: Backbone = None,
    index_folder: IndexFolder = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the curve as a PNG.")] = None,
    as_json: AsJson = False,
) -> None:
    """Recall against violation over the strength of exclusion, on generated validation queries."""
    from boolattn.bench.exclusion_strength import SHOWN, plot_curve, strength_curve
    from boolattn.encoders.storage.model_names import load_boolean, title_of
    from boolattn.evaluation.benchmarks.generated import exclusion_validation
    from boolattn.evaluation.benchmarks.long_questions import long_questions
    from boolattn.evaluation.tasks import DataFolder
    from boolattn.retrieval.index.open_index import open_index

    try:
        encoder, benchmarks = load_boolean(model, backbone), DataFolder(data)
        tasks = [*exclusion_validation(benchmarks), long_questions(benchmarks)]
        with _folder(index_folder) as folder:
            points = strength_curve(
                tasks, encoder, title_of(model), lambda name: open_index(f"lance://{folder}/{name}")
            )
    except (ValueError, OSError, ImportError) as error:
        raise typer.BadParameter(str(error)) from error
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
