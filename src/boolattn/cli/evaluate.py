"""boolattn evaluate."""

from pathlib import Path
from typing import Annotated

import typer


def evaluate(
    benchmark: Annotated[str, typer.Argument(help="Which benchmark; docs/benchmarks.md lists them.")],
    model: Annotated[
        list[str],
        typer.Option(
            help="A model's folder or hub name, a shipped adapter, training-free:NAME, rewritten:NAME, 'bm25' or "
            "'rules'; repeat."
        ),
    ],
    data: Annotated[Path, typer.Option(envvar="BOOLATTN_DATA", help="The folder with the benchmarks' data.")],
    backbone: Annotated[
        str | None,
        typer.Option(envvar="BOOLATTN_BACKBONE", help="The backbone of a shipped adapter: a folder or hub name."),
    ] = None,
    given_operators: Annotated[
        bool, typer.Option("--given-operators", help="Tell Boolean models which operators each query holds.")
    ] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave bad rows out and count them.")] = False,
    run: Annotated[Path | None, typer.Option(help="Folder to write each model's ranking to, as a TREC run.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Folder to draw each measure by template to, as PNG.")] = None,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure models on a benchmark; several models are compared with the first by a paired bootstrap."""
    from boolattn.data.bad_rows import BadRowError, SkipBad
    from boolattn.evaluation.benchmarks import load_benchmark
    from boolattn.evaluation.output import print_outcomes, write_figures, write_runs
    from boolattn.evaluation.running import WrongSystemError
    from boolattn.evaluation.running import evaluate as evaluate_system
    from boolattn.evaluation.systems import load_system
    from boolattn.evaluation.tasks import DataFolder, RetrievalTask

    skip = SkipBad() if skip_bad else None
    try:
        systems = [load_system(name, backbone=backbone) for name in model]
        task = load_benchmark(benchmark, DataFolder(data, skip))
        if given_operators and isinstance(task, RetrievalTask):
            task = task.telling_operators()
        outcomes = [evaluate_system(task, system) for system in systems]
    except (BadRowError, WrongSystemError, ValueError, OSError, ImportError) as error:
        raise typer.BadParameter(str(error)) from error
    for (file, field), count in skip.counts.items() if skip is not None else ():
        typer.echo(f"left out {count} bad rows of {file} (field {field})", err=True)
    print_outcomes(task, outcomes, "json" if as_json else "markdown" if as_markdown else "table")
    if run is not None:
        write_runs(outcomes, run)
    if plot is not None:
        write_figures(outcomes, plot)
