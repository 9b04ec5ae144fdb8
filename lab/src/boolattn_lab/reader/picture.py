"""Plots of a reader's confidence."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np

from boolattn.reading.learned import Calibrations
from boolattn.reading.reading import Documents
from boolattn_lab.reader.held_out import Said

BINS = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 1.0)
COLORS: Mapping[Documents, str] = {"things": "tab:orange", "pages": "tab:blue"}


def draw_curves(said: Mapping[Documents, Said], calibrations: Calibrations, path: Path) -> None:
    """Plot recall against false alarms in the calibration sets, over things and over pages.

    These sets contain queries that were chosen for their cue words, so real traffic has fewer false alarms.
    """
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    for documents, each in said.items():
        thresholds = np.unique(each.confidences[each.confidences > 0.005])
        points = np.array([rates(each, threshold) for threshold in thresholds])
        axes.plot(points[:, 1], points[:, 0], label=documents, color=COLORS[documents])
        for mark, (name, threshold) in zip("osd", calibrations[documents].thresholds.items(), strict=True):
            recall, wrong = rates(each, threshold)
            label = f"{name}: from {threshold:g} for {documents}"
            axes.plot(wrong, recall, mark, color=COLORS[documents], label=label)
    axes.set_xlabel("false alarms per 10,000 queries of the calibration sets")
    axes.set_ylabel("recall of labelled real exclusions")
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1)
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def draw_reliability(said: Mapping[Documents, Said], path: Path) -> None:
    """Plot how often readings of each confidence are right, over things and over pages."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 4))
    axes.plot([0, 1], [0, 1], color="lightgrey")
    for documents, (confidences, right, weights, _) in said.items():
        for low, high in pairwise(BINS):
            inside = (confidences >= low) & (confidences < high if high < 1 else confidences <= high)
            if weights[inside].sum():
                share = np.average(right[inside], weights=weights[inside])
                mean = np.average(confidences[inside], weights=weights[inside])
                axes.plot(mean, share, "o", color=COLORS[documents])
                axes.annotate(f"{inside.sum()}", (mean, share), textcoords="offset points", xytext=(5, -10), fontsize=8)
        axes.plot([], [], "o", color=COLORS[documents], label=documents)
    axes.set_xlabel("confidence")
    axes.set_ylabel("share that exclude something to act on")
    axes.legend(loc="upper left")
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def rates(said: Said, threshold: float) -> tuple[float, float]:
    """Return the recall, and the false alarms per 10,000 queries of the calibration set, at a threshold."""
    read = said.confidences >= threshold
    hits, wrong = (said.weights[read & right].sum() for right in (said.right, ~said.right))
    return float(hits / said.weights[said.right].sum()), float(1e4 * wrong / said.weights.sum())
