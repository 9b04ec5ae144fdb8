"""boolattn dev: run studies, measure cost, disturb an index, ship an adapter."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from boolattn.cli.bench import bench
from boolattn.cli.chaos import chaos
from boolattn.cli.demo import demo_vectors
from boolattn.cli.errors import user_errors
from boolattn.cli.options import AsMarkdown, Backbone, Data
from boolattn.cli.scale import scale

StudyFile = Annotated[Path, typer.Argument(help="A study (TOML): systems, seeds and benchmarks.")]
Out = Annotated[Path, typer.Option(help="Output folder for models and results.")]

dev = typer.Typer(help="For developers: studies, costs, settings, chaos, shipping an adapter.", no_args_is_help=True)
dev.add_typer(bench, name="bench")
dev.command()(chaos)
dev.command()(demo_vectors)
dev.command()(scale)


@dev.command()
def study(
    study: StudyFile,
    data: Data,
    out: Out,
    backbone: Annotated[str | None, typer.Option(help="Replace the study's backbone with this folder or name.")] = None,
    seed: Annotated[list[int] | None, typer.Option(help="Replace the study's seeds; may be repeated.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Run only this system; may be repeated.")] = None,
) -> None:
    """Train and evaluate all systems of a study; unfinished runs resume."""
    from boolattn.data.folder import DataFolder
    from boolattn.study.plan import plan_study
    from boolattn.study.run_study import run_study

    console = Console(stderr=True)

    def tell(doing: str) -> None:
        console.print(doing, style="bold", markup=False, highlight=False, soft_wrap=True)

    with user_errors():
        runs = plan_study(study, out, backbone, seed or (), only or ())
        run_study(runs, DataFolder(data), out, tell)
    typer.echo(f"results: {out / 'results'}")


@dev.command()
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
    from boolattn.study.comparison import laid_out
    from boolattn.study.picture import plot as draw
    from boolattn.study.picture import plot_templates
    from boolattn.study.plan import StudyError, load_study
    from boolattn.study.results import ALL, read_results

    console = Console()
    with user_errors():
        systems = [system.name for system in load_study(study).systems if not only or system.name in only]
        results = read_results(out, systems)
        if not results:
            raise StudyError(f"{out / 'results'} has no results of this study: run boolattn dev study first")
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


@dev.command()
def ship(
    model: Annotated[Path, typer.Argument(help="Folder of a trained Boolean model with an unchanged backbone.")],
    out: Annotated[Path, typer.Argument(help="Output folder, for boolattn.load and --model.")],
    made_with: Annotated[str, typer.Option(help="The hub name of the backbone that users need.")],
    backbone: Backbone = None,
) -> None:
    """Write a model's adapter, in half precision and without the backbone."""
    from boolattn.encoders.storage.adapters import require_backbone, round_to_half, save_without_backbone
    from boolattn.encoders.storage.model_names import load_backbone, load_boolean

    with user_errors():
        trained = load_boolean(str(model), backbone)
        require_backbone(trained, load_backbone(backbone or made_with, out.name, made_with), made_with)
        round_to_half(trained)
        save_without_backbone(trained, out, made_with)
    size = sum(path.stat().st_size for path in out.rglob("*.safetensors"))
    typer.echo(f"{out}: {size / 1e6:.1f} MB, for {made_with}")
