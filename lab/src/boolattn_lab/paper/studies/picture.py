"""The plot of a study: ranking quality against the share of excluded documents returned."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

from boolattn_lab.benchmarks.figures import COLOURS, GRID, INK, plot_by_template
from boolattn_lab.paper.studies.plan import StudyError
from boolattn_lab.paper.studies.results import ALL, Result
from boolattn_lab.paper.studies.tables import Results, reports

WANTED, EXCLUDED, FOUND = "nDCG@10", "violation@20", "R@100"


class Point(NamedTuple):
    """A system's means over seeds, each with its standard deviation."""

    system: str
    wanted: tuple[float, float]
    excluded: tuple[float, float]


def points(results: Results, benchmark: str, part: str = ALL) -> Iterator[Point]:
    """Yield one point per system, over the queries that exclude something, the same for both measures."""
    for system, several in results.items():
        by_seed = [means for result in several if (means := _means(result, benchmark, part))]
        if by_seed:
            wanted, excluded = zip(*by_seed, strict=True)
            yield Point(system, _spread(wanted), _spread(excluded))


def plot(results: Results, benchmark: str, part: str, path: Path) -> None:
    """Plot nDCG@10 against violation@20, one mark per system with error bars over seeds, as a PNG."""
    from matplotlib.figure import Figure

    drawn = list(points(results, benchmark, part))
    if not drawn:
        raise StudyError(f"no result has {EXCLUDED} on {benchmark}, {part}: choose another benchmark or slice")
    figure = Figure(figsize=(4.8, 3.6), dpi=200, layout="constrained")
    axes = figure.add_subplot()
    for number, (system, wanted, excluded) in enumerate(drawn):
        colour, marker = COLOURS[number % len(COLOURS)], "osD^v"[number // len(COLOURS) % 5]
        axes.errorbar(
            excluded[0], wanted[0], wanted[1], excluded[1], fmt=marker, color=colour, elinewidth=1, label=system
        )
    axes.margins(0.15)
    title = benchmark if part == ALL else f"{benchmark}, {part}"
    axes.set_title(f"{title}: queries that exclude something", loc="left", fontsize=10, color=INK)
    axes.set_xlabel(f"{EXCLUDED} (lower is better)", fontsize=8, color=INK)
    axes.set_ylabel(WANTED, fontsize=8, color=INK)
    axes.tick_params(length=0, labelsize=8, labelcolor=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=GRID)
    axes.set_axisbelow(True)
    figure.legend(loc="outside lower left", ncols=2, frameon=False, fontsize=8, labelcolor=INK)
    figure.savefig(path, format="png")


def plot_templates(results: Results, benchmark: str, part: str, path: Path) -> None:
    """Plot R@100 for each template, as in the paper's Figure 3, and violation@20, with error bars over seeds."""
    found = reports(results, benchmark)
    if part != ALL:
        found = [report.slices[part] for report in found if part in report.slices]
    if not found:
        raise StudyError(f"no results for {benchmark}, {part}: choose another benchmark or slice")
    plot_by_template(found, (FOUND, EXCLUDED), path)


def _spread(by_seed: Sequence[float]) -> tuple[float, float]:
    return fmean(by_seed), stdev(by_seed) if len(by_seed) > 1 else 0.0


def _means(result: Result, benchmark: str, part: str) -> tuple[float, float] | None:
    measured = result.benchmarks.get(benchmark)
    templates = measured.by_query.get(part, {}) if measured else {}
    wanted, excluded = (
        {query: value for columns in templates.values() for query, value in columns.of(measure).items()}
        for measure in (WANTED, EXCLUDED)
    )
    return (fmean(wanted[query] for query in excluded), fmean(excluded.values())) if excluded else None
