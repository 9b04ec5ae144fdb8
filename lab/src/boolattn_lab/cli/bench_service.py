"""boolattn-lab bench service: load on the service."""

import json
from pathlib import Path
from typing import Annotated

import typer

from boolattn.cli.errors import user_errors
from boolattn.cli.options import DEFAULT_MODEL, Model


def service(
    model: Model = DEFAULT_MODEL,
    plain: Annotated[
        str | None, typer.Option(help="A plain sentence-transformers model to compare with: the backbone.")
    ] = None,
    minutes: Annotated[float, typer.Option(help="How long the load at 80 % of the capacity lasts.")] = 10.0,
    seconds: Annotated[float, typer.Option(help="How long each of the other phases lasts.")] = 30.0,
    rounds: Annotated[int, typer.Option(min=1, help="How often the comparisons alternate.")] = 5,
    workers: Annotated[int, typer.Option(min=1, help="Worker processes of the service under load.")] = 1,
    only: Annotated[str | None, typer.Option(help="Only this part: load, batching or plain.")] = None,
    out: Annotated[Path | None, typer.Option(help="Also write the figures to this JSON file.")] = None,
) -> None:
    """Measure the service from a second process: capacity, 80 %, 150 % and 300 % of it, batching, a plain model."""
    from boolattn_lab.costs import service_load

    parts = ("load", "batching", "plain")
    if only is not None and only not in parts:
        raise typer.BadParameter(f"--only {only}: use one of {', '.join(parts)}")
    found: dict[str, object] = {"machine": service_load.machine()}
    with user_errors(RuntimeError):
        if only in (None, "load"):
            found["load"] = service_load.measure_load(model, minutes=minutes, seconds=seconds, workers=workers)
        if only in (None, "batching"):
            found["batching"] = service_load.measure_batching(model, seconds=seconds, rounds=rounds)
        if only in (None, "plain") and plain is not None:
            found["plain"] = service_load.measure_against_plain(model, plain, seconds=seconds, rounds=rounds)
    typer.echo(json.dumps(found, indent=2))
    if out is not None:
        out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
