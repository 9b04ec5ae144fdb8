"""The output of ``boolattn-lab evaluate``: tables, runs and figures."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.table import Table

from boolattn_lab.benchmarks.evaluate import Outcome, compare
from boolattn_lab.benchmarks.figures import plot_by_template
from boolattn_lab.benchmarks.measures import run_entries
from boolattn_lab.benchmarks.report import markdown, tables
from boolattn_lab.benchmarks.tasks import Task
from boolattn_lab.formats.trec import write_trec_run


def print_outcomes(
    task: Task,
    outcomes: Sequence[Outcome],
    form: Literal["table", "markdown", "json"],
    bases: Mapping[str, str] | None = None,
) -> None:
    """Print the reports, and each system's difference from the first, and from another if ``bases`` names it."""
    reports = [outcome.report for outcome in outcomes]
    by_name = {outcome.report.model: outcome for outcome in outcomes}
    first, *others = outcomes
    pairs = [(other, first) for other in others]
    pairs += [(by_name[model], by_name[base]) for model, base in (bases or {}).items()]
    differences = [
        {
            "model": other.report.model,
            "from": base.report.model,
            "measured on": part,
            "measure": measure,
            **difference._asdict(),
        }
        for other, base in pairs
        for part, measures in compare(task, other, base).items()
        for measure, difference in measures.items()
    ]
    if form == "json":
        together = {"reports": [report.as_json() for report in reports], "differences": differences}
        print(json.dumps(together if others else reports[0].as_json(), indent=2))
    elif form == "markdown":
        print(markdown(reports), end="")
        for row in differences:
            print("\n" if row is differences[0] else "", end="")
            print("- {model} - {from}, {measured on}, {measure}: {mean:+.3f} [{low:+.3f}, {high:+.3f}]".format(**row))
    else:
        console = Console()
        console.print(*tables(reports, console.width))
        if others:
            Console().print(_difference_table(differences))


def _difference_table(differences: Sequence[dict[str, object]]) -> Table:
    drawn = Table(title="differences, with 95 % intervals (paired bootstrap over queries)")
    for name in ("model", "from", "measured on", "measure", "mean", "low", "high"):
        drawn.add_column(name, justify="right" if name in ("mean", "low", "high") else "left")
    for row in differences:
        drawn.add_row(*(f"{value:+.3f}" if isinstance(value, float) else str(value) for value in row.values()))
    return drawn


def write_runs(outcomes: Sequence[Outcome], folder: Path) -> None:
    """Write the ranking of each system as a TREC run."""
    folder.mkdir(parents=True, exist_ok=True)
    for outcome in outcomes:
        if outcome.run is not None:
            model = outcome.report.model.replace("/", "-")
            write_trec_run(folder / f"{outcome.report.benchmark}.{model}.trec", run_entries(outcome.run, model))


def write_figures(outcomes: Sequence[Outcome], folder: Path) -> None:
    """Plot every measure by template, with all systems in one plot; slices separately."""
    folder.mkdir(parents=True, exist_ok=True)
    reports = [outcome.report for outcome in outcomes]
    parts = {name: [report.slices[name] for report in reports] for name in reports[0].slices} or {"": reports}
    for name, part in parts.items():
        for measure in dict.fromkeys(measure for figures in part[0].by_template.values() for measure in figures):
            title = "-".join(word for word in (reports[0].benchmark, name, measure.replace("@", "-at-")) if word)
            plot_by_template(part, [measure], folder / f"{title}.png")
