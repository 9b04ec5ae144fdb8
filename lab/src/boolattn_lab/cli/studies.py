"""boolattn-lab study, study-table: many systems, seeds and benchmarks."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from boolattn.cli.errors import user_errors
from boolattn_lab.cli.options import AsMarkdown, Data

StudyFile = Annotated[Path, typer.Argument(help="A study (TOML): systems, seeds and benchmarks.")]
Out = Annotated[Path, typer.Option(help="Output folder for models and results.")]


def study(
    study: StudyFile,
    data: Data,
    out: Out,
    backbone: Annotated[str | None, typer.Option(help="Replace the study's backbone with this folder or name.")] = None,
    seed: Annotated[list[int] | None, typer.Option(help="Replace the study's seeds; may be repeated.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Run only this system; may be repeated.")] = None,
) -> None:
    """Train and evaluate all systems of a study; unfinished runs resume."""
    from boolattn_lab.formats.folder import DataFolder
    from boolattn_lab.paper.studies.plan import plan_study
    from boolattn_lab.paper.studies.run_study import run_study

    console = Console(stderr=True)

    def tell(doing: str) -> None:
        console.print(doing, style="bold", markup=False, highlight=False, soft_wrap=True)

    with user_errors():
        runs = plan_study(study, out, backbone, seed or (), only or ())
        run_study(runs, DataFolder(data), out, tell)
    typer.echo(f"results: {out / 'results'}")


def study_table(
    study: StudyFile,
    out: Out,
    against: Annotated[str | None, typer.Option(help="Also show each system's difference from this one.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Plot nDCG@10 against violation@20, for the queries in --of, to this PNG file.")
    ] = None,
    by_template: Annotated[
        Path | None,
        typer.Option(help="Plot R@100 and violation@20 by template, for the queries in --of, to this PNG file."),
    ] = None,
    of: Annotated[str, typer.Option(help="Queries to plot: a benchmark, or one slice of it.")] = "films/meaning",
    only: Annotated[list[str] | None, typer.Option(help="Show only this system; may be repeated.")] = None,
    as_markdown: AsMarkdown = False,
) -> None:
    """Show a study's results, mean and standard deviation over seeds, from its result files alone."""
    from boolattn_lab.paper.studies.picture import plot as draw
    from boolattn_lab.paper.studies.picture import plot_templates
    from boolattn_lab.paper.studies.plan import StudyError, load_study
    from boolattn_lab.paper.studies.results import ALL, read_results
    from boolattn_lab.paper.studies.tables import laid_out

    console = Console()
    with user_errors():
        systems = [system.name for system in load_study(study).systems if not only or system.name in only]
        results = read_results(out, systems)
        if not results:
            raise StudyError(f"{out / 'results'} has no results of this study: run boolattn-lab study first")
        for shown in laid_out(results, against, as_markdown, console.width):
            if isinstance(shown, str):
                typer.echo(shown)
            else:
                console.print(shown)
        benchmark, _, part = of.partition("/")
        if plot is not None:
            draw(results, benchmark, part or ALL, plot)
        if by_template is not None:
            plot_templates(results, benchmark, part or ALL, by_template)
