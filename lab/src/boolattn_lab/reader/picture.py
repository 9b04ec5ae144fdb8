"""Plots of a reader's confidence."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np

from boolattn.reading.reading import THRESHOLDS
from boolattn_lab.reader.held_out import Said

BINS = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 1.0)


def draw_curve(said: Mapping[str, Said], path: Path) -> None:
    """Plot recall against false alarms per 10,000 real queries; the last reader is the one that ships."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    shipped = list(said)[-1]
    for name, each in said.items():
        thresholds = np.unique(each.confidences[each.confidences > 0.005])
        points = np.array([rates(each, threshold) for threshold in thresholds])
        style = {"color": "tab:blue"} if name == shipped else {"color": "tab:blue", "alpha": 0.3}
        axes.plot(points[:, 1], points[:, 0], label=name, **style)
    for mark, (name, threshold) in zip("osd", THRESHOLDS.items(), strict=True):
        recall, wrong = rates(said[shipped], threshold)
        axes.plot(wrong, recall, mark, color="black", label=f"{name}: confidence {threshold:g}")
    axes.set_xlabel("false alarms per 10,000 real queries")
    axes.set_ylabel("recall of labelled real exclusions")
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1)
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def draw_reliability(said: Said, path: Path) -> None:
    """Plot how often readings of each confidence are right."""
    from matplotlib import pyplot

    confidences, right, weights = said.confidences, said.right, said.weights
    figure, axes = pyplot.subplots(figsize=(5, 4))
    axes.plot([0, 1], [0, 1], color="lightgrey")
    for low, high in pairwise(BINS):
        inside = (confidences >= low) & (confidences < high if high < 1 else confidences <= high)
        if weights[inside].sum():
            share = np.average(right[inside], weights=weights[inside])
            mean = np.average(confidences[inside], weights=weights[inside])
            axes.plot(mean, share, "o", color="tab:blue")
            axes.annotate(f"{inside.sum()}", (mean, share), textcoords="offset points", xytext=(5, -10), fontsize=8)
    axes.set_xlabel("confidence")
    axes.set_ylabel("share that exclude a topic")
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def rates(said: Said, threshold: float) -> tuple[float, float]:
    """Return the recall, and the false alarms per 10,000 real queries, at a threshold."""
    read = said.confidences >= threshold
    hits, wrong = (said.weights[read & right].sum() for right in (said.right, ~said.right))
    return float(hits / said.weights[said.right].sum()), float(1e4 * wrong / said.weights.sum())
