"""Plots of reports. Needs matplotlib."""

import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING

import numpy as np

from boolattn.evaluation.report import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which are distinguishable with any kind of colour blindness.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
INK = "#333333"
GRID = "#E5E5E5"
GROUP_WIDTH = 0.84


def plot_by_template(reports: Sequence[Report], measure: str, path: Path) -> None:
    """Plot a measure for each template as grouped bars, one colour per model, and save it as a PNG.

    Args:
        reports: Reports of several models on one benchmark. Error bars show the deviation over seeds, if any.
        measure: Such as ``"R@100"``. Templates without values are skipped.
        path: The output file.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install 'boolattn[plots]'") from error
    if len(reports) > len(COLOURS):
        raise ValueError(f"{len(reports)} models are too many for one plot: use at most {len(COLOURS)}")
    templates = [
        template
        for template in dict.fromkeys(template for report in reports for template in report.by_template)
        if any(measure in report.by_template.get(template, {}) for report in reports)
    ]
    if not templates:
        raise ValueError(f"no report has {measure} by template")

    width = 1 + len(templates) * (0.45 + 0.2 * len(reports))
    figure = Figure(figsize=(max(width, 4.5), 3.6), dpi=200, layout="constrained")
    axes = figure.add_subplot()
    for index, report in enumerate(reports):
        _draw_bars(axes, report, measure, templates, index, len(reports))
    axes.set_xticks(range(len(templates)), [_readable(template) for template in templates])
    axes.margins(x=0.02, y=0.08)
    direction = " (lower is better)" if measure.startswith("violation") else ""
    axes.set_title(f"{reports[0].benchmark}: {measure}{direction}", loc="left", fontsize=10, color=INK)
    axes.tick_params(length=0, labelsize=8, labelcolor=INK)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(INK)
    axes.yaxis.grid(color=GRID)
    axes.set_axisbelow(True)
    figure.legend(loc="outside lower left", ncols=len(reports), frameon=False, fontsize=8, labelcolor=INK)
    figure.savefig(path, format="png")


def _draw_bars(axes: "Axes", report: Report, measure: str, templates: list[str], index: int, models: int) -> None:
    width = GROUP_WIDTH / models
    places = np.arange(len(templates)) + (index - (models - 1) / 2) * width
    heights = _values(report, measure, templates)
    whiskers = _values(report.deviation, measure, templates) if report.deviation else None
    bars = axes.bar(places, heights, 0.94 * width, yerr=whiskers, color=COLOURS[index], ecolor=INK, label=report.model)
    labels = ["" if math.isnan(height) else f"{height:.2f}".lstrip("0") for height in heights]
    axes.bar_label(bars, labels, fontsize=6.5, padding=1.5, color=INK)


def _values(report: Report, measure: str, templates: list[str]) -> list[float]:
    return [report.by_template.get(template, {}).get(measure, math.nan) for template in templates]


def _readable(template: str) -> str:
    """Write ``_ that are not _`` as "A that are not B", on short lines."""
    letters = iter(ascii_uppercase)
    words = [next(letters) if word == "_" else word for word in template.split()]
    return textwrap.fill(" ".join(words), 13)
