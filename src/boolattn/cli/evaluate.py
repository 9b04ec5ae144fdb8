"""boolattn evaluate."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from boolattn.cli.errors import user_errors
from boolattn.cli.options import (
    AsJson,
    AsMarkdown,
    Backbone,
    DataIfNeeded,
    DocumentsAre,
    HowSure,
    ReaderName,
    Systems,
)
from boolattn.reading.options import ReadingOptions
from boolattn.reading.readers import reader_of

if TYPE_CHECKING:
    from boolattn.data.rows.bad_rows import SkipBad
    from boolattn.evaluation.tasks import ExclusionTask

OWN_FILE = "reading"  # the benchmark that takes its queries from --queries


def evaluate(
    benchmark: Annotated[
        str, typer.Argument(help=f"Which benchmark (docs/benchmarks.md), or {OWN_FILE!r} for queries of your own.")
    ],
    model: Systems = None,
    data: DataIfNeeded = None,
    queries: Annotated[
        Path | None, typer.Option(help=f"For {OWN_FILE!r}: JSONL of query, excluded, soft and kind.")
    ] = None,
    reader: ReaderName = None,
    documents: DocumentsAre = None,
    strictness: HowSure = None,
    errors: Annotated[
        int, typer.Option(min=0, help="For benchmarks of readers: how many false alarms and misses to show.")
    ] = 0,
    backbone: Backbone = None,
    given_operators: Annotated[
        bool, typer.Option("--given-operators", help="Tell Boolean models which operators each query holds.")
    ] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Skip bad rows and count them.")] = False,
    run: Annotated[Path | None, typer.Option(help="Folder to write each model's ranking to, as a TREC run.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Folder to draw each measure by template to, as PNG.")] = None,
    as_markdown: AsMarkdown = False,
    as_json: AsJson = False,
) -> None:
    """Measure models or a reader on a benchmark; several models are compared with the first by a paired bootstrap."""
    from boolattn.data.rows.bad_rows import SkipBad
    from boolattn.evaluation.tasks import WrongSystemError

    form: Literal["json", "markdown", "table"] = "json" if as_json else "markdown" if as_markdown else "table"
    skip = SkipBad() if skip_bad else None
    with user_errors(WrongSystemError):
        reading_task = _reading_task(benchmark, model, data, queries, skip)
    if reading_task is not None:
        from boolattn.evaluation.reading_outcome import evaluate_reader, print_reading

        with user_errors(WrongSystemError):
            outcome = evaluate_reader(reading_task, reader_of(reader), documents or "pages", strictness or "safe")
        _report_skipped(skip)
        print_reading(outcome, form, errors)
        return

    from boolattn.data.folder import DataFolder
    from boolattn.evaluation.benchmarks import load_benchmark
    from boolattn.evaluation.evaluate import evaluate as evaluate_system
    from boolattn.evaluation.output import print_outcomes, write_figures, write_runs
    from boolattn.evaluation.systems import load_system
    from boolattn.evaluation.tasks import PairTask, RetrievalTask

    if not model or data is None:
        raise typer.BadParameter(f"{benchmark} needs {'--data DIR or BOOLATTN_DATA' if model else '--model MODEL'}")
    with user_errors(WrongSystemError):
        options = ReadingOptions(reader, strictness=strictness or "safe")
        systems = [load_system(name, backbone=backbone, options=options) for name in model]
        task = load_benchmark(benchmark, DataFolder(data, skip))
        if documents is not None and isinstance(task, RetrievalTask | PairTask):
            task = replace(task, documents_are=documents)
        if given_operators and isinstance(task, RetrievalTask):
            task = task.with_given_operators()
        outcomes = [evaluate_system(task, system) for system in systems]
    _report_skipped(skip)
    print_outcomes(task, outcomes, form)
    if run is not None:
        write_runs(outcomes, run)
    if plot is not None:
        write_figures(outcomes, plot)


def _reading_task(
    benchmark: str, model: list[str] | None, data: Path | None, queries: Path | None, skip: "SkipBad | None"
) -> "ExclusionTask | None":
    """Read the queries of a benchmark of readers; None for a benchmark of models."""
    from boolattn.data.folder import DataFolder
    from boolattn.evaluation.benchmarks import load_reader_benchmark
    from boolattn.evaluation.benchmarks.exclusions import READER_BENCHMARKS, from_file

    if queries is not None and benchmark != OWN_FILE:
        raise ValueError(f"{benchmark} has queries of its own: use 'boolattn evaluate {OWN_FILE}' with --queries")
    if benchmark != OWN_FILE and benchmark not in READER_BENCHMARKS:
        return None
    if model:
        raise ValueError(f"{benchmark} measures a reader, not a model: use --reader instead of --model")
    if benchmark == OWN_FILE:
        if queries is None:
            raise ValueError(f"{OWN_FILE} needs --queries FILE.jsonl")
        return from_file(queries, skip)
    if data is None:
        raise ValueError(f"{benchmark} needs --data DIR or BOOLATTN_DATA")
    return load_reader_benchmark(benchmark, DataFolder(data, skip))


def _report_skipped(skip: "SkipBad | None") -> None:
    for (file, field), count in skip.counts.items() if skip is not None else ():
        typer.echo(f"skipped {count} bad rows of {file} (field {field})", err=True)
