"""The command line: ``boolattn-lab --help``."""

import typer

from boolattn.cli.errors import Commands
from boolattn_lab.cli.bench import bench
from boolattn_lab.cli.chaos import chaos
from boolattn_lab.cli.evaluate import evaluate
from boolattn_lab.cli.scale import scale
from boolattn_lab.cli.shipping import demo_vectors, ship
from boolattn_lab.cli.studies import study, study_table
from boolattn_lab.cli.train import train

app = typer.Typer(cls=Commands, help="Train, evaluate and measure what boolattn searches with.", no_args_is_help=True)
app.add_typer(train, name="train")
app.command()(evaluate)
app.command()(study)
app.command()(study_table)
app.add_typer(bench, name="bench")
app.command()(scale)
app.command()(chaos)
app.command()(ship)
app.command()(demo_vectors)
