"""boolattn study, boolattn study-table."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

StudyFile = Annotated[Path, typer.Argument(help="A study: which systems, seeds and benchmarks, as TOML.")]
Out = Annotated[Path, typer.Option(help="Where models and results go.")]


def study(
    study: StudyFile,
    data: Annotated[Path, typer.Option(envvar="BOOLATTN_DATA", help="The folder with training data and benchmarks.")],
    out: Out,
    backbone: Annotated[str | None, typer.Option(help="A folder or name in place of the study's backbone.")] = None,
    seed: Annotated[list[int] | None, typer.Option(help="In place of the study's seeds; may be repeated.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only this system; may be repeated.")] = None,
) -> None:
    """Train and measure all systems of a study; again after an interruption, to go on."""
    from boolattn.data.folder import DataFolder
    from boolattn.data.rows.bad_rows import BadRowError
    from boolattn.study.plan import plan_study
    from boolattn.study.run_study import run_study

    console = Console(stderr=True)
    try:
        runs = plan_study(study, out, backbone, seed or (), only or ())
        run_study(runs, DataFolder(data), out, lambda doing: console.rule(doing, align="left"))
    except (ValueError, OSError, ImportError, BadRowError) as error:
        raise typer.BadParameter(str(error)) from error
    typer.echo(f"the results: {out / 'results'}")


def study_table(
    study: StudyFile,
    out: Out,
    against: Annotated[str | None, typer.Option(help="Also show how far the others are from this system.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw nDCG@10 against violation@20 as a PNG, of the queries --of names.")
    ] = None,
    of: Annotated[str, typer.Option(help="What to draw: a benchmark, or one slice of it.")] = "films/meaning",
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown tables.")] = False,
) -> None:
    """Show what the systems of a study reached, mean and deviation over seeds, from the files of results alone."""
    from boolattn.study.comparison import laid_out
    from boolattn.study.picture import plot as draw
    from boolattn.study.plan import StudyError, load_study
    from boolattn.study.results import ALL, read_results

    console = Console()
    try:
        results = read_results(out, [system.name for system in load_study(study).systems])
        if not results:
            raise StudyError(f"{out / 'results'} has no result of this study: run boolattn study first")
        for shown in laid_out(results, against, as_markdown, console.width):
            if isinstance(shown, str):
                typer.echo(shown)
            else:
                console.print(shown)
        if plot is not None:
            benchmark, _, part = of.partition("/")
            draw(results, benchmark, part or ALL, plot)
    except (ValueError, OSError, ImportError) as error:
        raise typer.BadParameter(str(error)) from error
