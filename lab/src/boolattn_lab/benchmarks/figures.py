"""Plots of reports. Needs matplotlib."""

import math
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING

import numpy as np

from boolattn_lab.benchmarks.report import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which are distinguishable with any kind of colour blindness.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
INK = "#333333"
GRID = "#E5E5E5"
GROUP_WIDTH = 0.84


def plot_by_template(reports: Sequence[Report], measures: Sequence[str], path: Path) -> None:
    """Plot measures for each template as grouped bars, one colour per model, and save them as a PNG.

    Args:
        reports: Reports of several models on one benchmark. Error bars show the deviation over seeds, if any.
        measures: Such as ``["R@100"]``, one panel each. Measures and templates without values are skipped.
        path: The output file.
    """
    from matplotlib.figure import Figure

    if len(reports) > len(COLOURS):
        raise ValueError(f"{len(reports)} models are too many for one plot: use at most {len(COLOURS)}")
    by_template = [each for report in reports for each in report.by_template.items()]
    drawn = [measure for measure in measures if any(measure in figures for _, figures in by_template)]
    if not drawn:
        raise ValueError(f"no report has {' or '.join(measures)} by template")
    templates = sorted(
        {template for template, figures in by_template if not figures.keys().isdisjoint(drawn)},
        key=lambda template: (template.count("_"), template),
    )

    height = 1 + len(templates) * (0.12 + 0.13 * len(reports))
    figure = Figure(figsize=(3 + 2.5 * len(drawn), height), dpi=200, layout="constrained")
    panels = figure.subplots(1, len(drawn), sharey=True, squeeze=False)[0]
    for axes, measure in zip(panels, drawn, strict=True):
        for index, report in enumerate(reports):
            _draw_bars(axes, report, measure, templates, index, len(reports))
        direction = " (lower is better)" if measure.startswith("violation") else ""
        axes.set_title(f"{measure}{direction}", loc="left", fontsize=8, color=INK)
        axes.margins(x=0.1, y=0.01)
        axes.tick_params(length=0, labelsize=8, labelcolor=INK)
        axes.spines[["top", "right", "bottom"]].set_visible(False)
        axes.spines["left"].set_color(INK)
        axes.xaxis.grid(color=GRID)
        axes.set_axisbelow(True)
    panels[0].set_yticks(range(len(templates)), [_readable(template) for template in templates])
    panels[0].invert_yaxis()
    figure.suptitle(reports[0].benchmark, x=0.01, ha="left", fontsize=10, color=INK)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower left", ncols=len(reports), frameon=False, fontsize=8, labelcolor=INK
    )
    figure.savefig(path, format="png")


def _draw_bars(axes: "Axes", report: Report, measure: str, templates: list[str], index: int, models: int) -> None:
    width = GROUP_WIDTH / models
    places = np.arange(len(templates)) + (index - (models - 1) / 2) * width
    lengths = _values(report, measure, templates)
    whiskers = _values(report.deviation, measure, templates) if report.deviation else None
    bars = axes.barh(places, lengths, 0.94 * width, xerr=whiskers, color=COLOURS[index], ecolor=INK, label=report.model)
    labels = ["" if math.isnan(length) else f"{length:.2f}".lstrip("0") for length in lengths]
    axes.bar_label(bars, labels, fontsize=6.5, padding=1.5, color=INK)


def _values(report: Report, measure: str, templates: list[str]) -> list[float]:
    return [report.by_template.get(template, {}).get(measure, math.nan) for template in templates]


def _readable(template: str) -> str:
    """Write ``_ that are not (_ or _)`` as "A that are not (B or C)", on short lines."""
    letters = iter(ascii_uppercase)
    return textwrap.fill(re.sub("_", lambda _: next(letters), template), 34)
