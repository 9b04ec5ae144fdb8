"""boolattn-lab chaos: disturb encoding, indexing and searching on purpose."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from boolattn.cli.errors import user_errors
from boolattn.cli.options import AsJson, Index


def chaos(
    index: Index,
    minutes: Annotated[float, typer.Option(min=0, help="How long; at least one round is run.")] = 20.0,
    seed: Annotated[int, typer.Option(help="Chooses documents, disturbances and moments.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Kill encode, index and search at random moments, and count what is lost, duplicated or wrong.

    Also fills a small disk, runs two writers at once and corrupts a shard. The index must not exist; it is dropped
    afterwards. Exit code 1 if anything went wrong.
    """
    from boolattn_lab.costs.failure_drills.run import run_chaos
    from boolattn_lab.costs.failure_drills.tally import Tally

    console, told = Console(stderr=True), list[str]()

    def report(tally: Tally) -> None:
        state = "sound" if tally.is_sound else f"{len(tally.failures)} failures"
        console.print(f"{tally.seconds:6.0f} s, round {tally.rounds}: {tally.kills.total()} kills, {state}")
        for failure in tally.failures[len(told) :]:
            told.append(failure)
            console.print(failure, markup=False)

    with user_errors():
        tally = run_chaos(index, minutes, seed, report)
    found = tally.to_dict()
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    else:
        Console().print(_table(found))
    if not tally.is_sound:
        raise typer.Exit(1)


def _table(found: dict[str, object]) -> Table:
    table = Table("what", "figure", title=f"chaos with {found['index']}, seed {found['seed']}")
    for name, value in found.items():
        if isinstance(value, dict):
            label = {"kills": "killed: ", "others": ""}[name]
            for kind, count in value.items():
                table.add_row(f"{label}{kind}", f"{count:,}")
        elif name in ("seconds", "rounds", "documents", "answers", "incomplete_answers"):
            checked = " checked" if name in ("documents", "answers") else ""
            table.add_row(name.replace("_", " ") + checked, f"{value:,}")
        elif name in ("lost", "duplicated", "wrong", "wrong_answers"):
            table.add_row(name.replace("_", " "), f"{value:,}", style="bold red" if value else "bold")
    table.add_row("failures", str(len(found["failures"])))  # type: ignore[arg-type]
    return table
