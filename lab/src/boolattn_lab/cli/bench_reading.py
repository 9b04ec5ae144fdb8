"""boolattn-lab bench reading-length and plans: how long reading takes, and which plans come of it."""

import dataclasses
import json
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from boolattn.cli.options import AsJson, ReaderName


def reading_length(
    largest: Annotated[int, typer.Option(min=4096, help="Longest text, in characters.")] = 1024**2,
    as_json: AsJson = False,
) -> None:
    """Measure the CPU time of every reader on texts made to take long: growing with the limits lifted, and at them.

    An exponent of 1 is linear time, 2 quadratic. At the longest query that is read, the whole path is measured: syntax,
    reader and plan.
    """
    from boolattn_lab.costs.reading_length import READERS, SHAPES, WHOLE, measure_cap, measure_lengths

    with Progress(console=Console(stderr=True)) as progress:
        cap = list(progress.track(measure_cap(), total=len(WHOLE) * len(SHAPES), description="at the limit"))
        total = len(READERS) * len(SHAPES)
        lengths = list(progress.track(measure_lengths(largest), total=total, description="without limits"))
    if as_json:
        found = {"at_limit": [dataclasses.asdict(each) for each in cap]}
        found["without_limits"] = [dataclasses.asdict(each) for each in lengths]
        typer.echo(json.dumps(found, indent=2))
        return
    table = Table("reader", "repeated", "ms, least", "ms, median", title="at the longest query that is read, CPU time")
    for each in sorted(cap, key=lambda each: -each.least):
        table.add_row(each.reader, repr(each.shape), f"{1000 * each.least:.1f}", f"{1000 * each.median:.1f}")
    Console().print(table)
    sizes = list(lengths[0].seconds)
    shown = [sizes[0], sizes[len(sizes) // 2], sizes[-1]]
    titles = (f"ms at {size // 1024:,} KB" for size in shown)
    table = Table("reader", "repeated", "exponent", *titles, title="without limits, CPU time")
    for row in lengths:
        times = (f"{1000 * row.seconds[size]:,.1f}" for size in shown)
        exponent = "too short" if row.exponent is None else f"{row.exponent:.2f}"
        table.add_row(row.reader, repr(row.shape), exponent, *times)
    Console().print(table)


def plans(reader: ReaderName = None, as_json: AsJson = False) -> None:
    """Compare plans of everyday queries with plans written by hand; half of the queries only measure."""
    from boolattn.reading.readers import reader_of
    from boolattn_lab.benchmarks.plan_scores import labelled_plans, plan_scores

    rows, chosen = labelled_plans(), reader_of(reader)
    halves = {
        name: plan_scores([row for row in rows if row.measures_only == measures], chosen)
        for name, measures in (("development", False), ("measures only", True))
    }
    if as_json:
        typer.echo(json.dumps({name: dataclasses.asdict(scores) for name, scores in halves.items()}, indent=2))
        return
    table = Table("half", "conditions", "found", "same meaning", "same atoms", "look-alikes", "made conditions")
    for name, scores in halves.items():
        table.add_row(name, *(str(each) for each in dataclasses.astuple(scores)))
    Console().print(table)
