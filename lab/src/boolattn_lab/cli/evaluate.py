"""boolattn-lab evaluate."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from boolattn.cli.errors import user_errors
from boolattn.cli.options import AsJson, Backbone, DocumentsAre, HowSure, ReaderName
from boolattn_lab.cli.board import print_board
from boolattn_lab.cli.options import AsMarkdown, DataIfNeeded, Systems

if TYPE_CHECKING:
    from boolattn_lab.benchmarks.tasks import ExclusionTask
    from boolattn_lab.formats.skipping import SkipBad

OWN_FILE = "reading"  # the benchmark whose queries come from --queries
BOARD = "board"  # many benchmarks, each model compared with its plain model


def evaluate(
    benchmark: Annotated[
        str,
        typer.Argument(
            help=f"A benchmark (lab/docs/benchmarks.md), {BOARD!r} for gain, harm and cost on many of them, or "
            f"{OWN_FILE!r} for your own queries."
        ),
    ],
    model: Systems = None,
    data: DataIfNeeded = None,
    queries: Annotated[
        Path | None, typer.Option(help=f"For {OWN_FILE!r}: JSONL with query, excluded, soft and kind.")
    ] = None,
    reader: ReaderName = None,
    documents: DocumentsAre = None,
    strictness: HowSure = None,
    errors: Annotated[
        int, typer.Option(min=0, help="For reader benchmarks: number of false alarms and of misses to show.")
    ] = 0,
    backbone: Backbone = None,
    given_operators: Annotated[
        bool, typer.Option("--given-operators", help="Give Boolean models the gold operators of each query.")
    ] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Skip bad rows and count them.")] = False,
    run: Annotated[Path | None, typer.Option(help="Folder for each model's ranking, as a TREC run.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Folder for plots of each measure by template (PNG).")] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help=f"For {BOARD!r}: run only this benchmark; may be repeated. Required for quest-partial."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0, help=f"For {BOARD!r}: also time queries, this long per kind and batch size.")
    ] = None,
    as_markdown: AsMarkdown = False,
    as_json: AsJson = False,
) -> None:
    """Evaluate models or a reader on a benchmark; further models are compared with the first by paired bootstrap."""
    from boolattn_lab.benchmarks.tasks import WrongSystemError
    from boolattn_lab.formats.skipping import SkipBad

    form: Literal["json", "markdown", "table"] = "json" if as_json else "markdown" if as_markdown else "table"
    skip = SkipBad() if skip_bad else None
    with user_errors(WrongSystemError):
        for_others = {
            "--queries": queries,
            "--documents": documents,
            "--given-operators": given_operators,
            "--run": run,
            "--plot": plot,
        }
        _check_options(benchmark, for_board={"--only": only, "--seconds": seconds is not None}, for_others=for_others)
        if benchmark == BOARD:
            print_board(model, data, skip, reader, strictness, backbone, only or [], seconds, form)
            _report_skipped(skip)
            return
    with user_errors(WrongSystemError):
        reading_task = _reading_task(benchmark, model, data, queries, skip)
    if reading_task is not None:
        from boolattn.reading.readers import reader_of
        from boolattn_lab.benchmarks.reading_outcome import evaluate_reader, print_reading

        with user_errors(WrongSystemError):
            if given_operators:
                raise WrongSystemError(f"{benchmark} evaluates a reader: remove --given-operators")
            outcome = evaluate_reader(
                reading_task, reader_of(reader), documents or reading_task.documents, strictness or "safe"
            )
        _report_skipped(skip)
        print_reading(outcome, form, errors)
        return

    from boolattn_lab.benchmarks.evaluate import evaluate as evaluate_system
    from boolattn_lab.benchmarks.output import print_outcomes, write_figures, write_runs
    from boolattn_lab.benchmarks.sets import load_benchmark
    from boolattn_lab.benchmarks.systems import load_system
    from boolattn_lab.benchmarks.tasks import PairTask, RetrievalTask
    from boolattn_lab.formats.folder import DataFolder

    if not model or data is None:
        raise typer.BadParameter(f"{benchmark} needs {'--data DIR or BOOLATTN_DATA' if model else '--model MODEL'}")
    with user_errors(WrongSystemError):
        systems = [load_system(name, backbone=backbone, reader=reader, strictness=strictness) for name in model]
        task = load_benchmark(benchmark, DataFolder(data, skip))
        if documents is not None and isinstance(task, RetrievalTask | PairTask):
            task = replace(task, documents_are=documents)
        if given_operators:
            if not isinstance(task, RetrievalTask):
                raise WrongSystemError(f"{task.name} has no operators to give to a model: remove --given-operators")
            task = task.with_given_operators()
        outcomes = [evaluate_system(task, system) for system in systems]
    _report_skipped(skip)
    print_outcomes(task, outcomes, form)
    if run is not None:
        write_runs(outcomes, run)
    if plot is not None:
        write_figures(outcomes, plot)


def _check_options(benchmark: str, for_board: Mapping[str, object], for_others: Mapping[str, object]) -> None:
    for name, given in (for_others if benchmark == BOARD else for_board).items():
        if given and benchmark == BOARD:
            raise ValueError(f"{BOARD} does not take {name}: use it with a single benchmark")
        if given:
            raise ValueError(f"{name} is for 'boolattn-lab evaluate {BOARD}', not for {benchmark}")


def _reading_task(
    benchmark: str, model: list[str] | None, data: Path | None, queries: Path | None, skip: "SkipBad | None"
) -> "ExclusionTask | None":
    """Load the queries of a reader benchmark; None for a model benchmark."""
    from boolattn_lab.benchmarks.sets import load_reader_benchmark
    from boolattn_lab.benchmarks.sets.exclusions import READER_BENCHMARKS, from_file
    from boolattn_lab.formats.folder import DataFolder

    if queries is not None and benchmark != OWN_FILE:
        raise ValueError(f"{benchmark} has its own queries: use 'boolattn-lab evaluate {OWN_FILE}' with --queries")
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
