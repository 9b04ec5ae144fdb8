"""boolattn dev: studies, costs, and shipping an adapter."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from boolattn.cli.bench import bench
from boolattn.cli.errors import user_errors
from boolattn.cli.options import AsMarkdown, Backbone, Data

StudyFile = Annotated[Path, typer.Argument(help="A study: which systems, seeds and benchmarks, as TOML.")]
Out = Annotated[Path, typer.Option(help="Where models and results go.")]

dev = typer.Typer(help="For developers: studies, costs, settings, shipping an adapter.", no_args_is_help=True)
dev.add_typer(bench, name="bench")


@dev.command()
def study(
    study: StudyFile,
    data: Data,
    out: Out,
    backbone: Annotated[str | None, typer.Option(help="A folder or name in place of the study's backbone.")] = None,
    seed: Annotated[list[int] | None, typer.Option(help="In place of the study's seeds; may be repeated.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only this system; may be repeated.")] = None,
) -> None:
    """Train and measure all systems of a study; run it again after an interruption to resume."""
    from boolattn.data.folder import DataFolder
    from boolattn.study.plan import plan_study
    from boolattn.study.run_study import run_study

    console = Console(stderr=True)
    with user_errors():
        runs = plan_study(study, out, backbone, seed or (), only or ())
        run_study(runs, DataFolder(data), out, lambda doing: console.rule(doing, align="left"))
    typer.echo(f"the results: {out / 'results'}")


@dev.command()
def study_table(
    study: StudyFile,
    out: Out,
    against: Annotated[str | None, typer.Option(help="Also show how far the others are from this system.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw nDCG@10 against violation@20 as a PNG, of the queries --of names.")
    ] = None,
    of: Annotated[str, typer.Option(help="What to draw: a benchmark, or one slice of it.")] = "films/meaning",
    as_markdown: AsMarkdown = False,
) -> None:
    """Show what the systems of a study reached, mean and deviation over seeds, from the files of results alone."""
    from boolattn.study.comparison import laid_out
    from boolattn.study.picture import plot as draw
    from boolattn.study.plan import StudyError, load_study
    from boolattn.study.results import ALL, read_results

    console = Console()
    with user_errors():
        results = read_results(out, [system.name for system in load_study(study).systems])
        if not results:
            raise StudyError(f"{out / 'results'} has no result of this study: run boolattn dev study first")
        for shown in laid_out(results, against, as_markdown, console.width):
            if isinstance(shown, str):
                typer.echo(shown)
            else:
                console.print(shown)
        if plot is not None:
            benchmark, _, part = of.partition("/")
            draw(results, benchmark, part or ALL, plot)


@dev.command()
def ship(
    model: Annotated[Path, typer.Argument(help="The folder of a trained Boolean model, its backbone left as it was.")],
    out: Annotated[Path, typer.Argument(help="Where to; the folder's name is the adapter's, as in boolattn.load.")],
    made_with: Annotated[str, typer.Option(help="The hub name of its backbone, which users are to have.")],
    backbone: Backbone = None,
) -> None:
    """Write what a model adds to its backbone, in half precision, and nothing of the backbone itself."""
    from boolattn.encoders.storage.adapters import require_backbone, round_to_half, save_without_backbone
    from boolattn.encoders.storage.model_names import load_backbone, load_boolean

    with user_errors():
        trained = load_boolean(str(model), backbone)
        require_backbone(trained, load_backbone(backbone or made_with, out.name, made_with), made_with)
        round_to_half(trained)
        save_without_backbone(trained, out, made_with)
    size = sum(path.stat().st_size for path in out.rglob("*.safetensors"))
    typer.echo(f"{out}: {size / 1e6:.1f} MB, for {made_with}")
