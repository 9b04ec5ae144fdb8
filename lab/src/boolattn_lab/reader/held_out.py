"""A reader's predictions on real queries that it was not trained on, and how often they are right."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from boolattn.reading.reading import Reader
from boolattn_lab.benchmarks.sets.exclusions import real_queries
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.reader.rows import fold_of

Array = NDArray[np.float64]


class Said(NamedTuple):
    """A reader's predictions on N queries that it was not trained on."""

    confidences: NDArray[np.float64]  # probability that a topic is excluded
    right: NDArray[np.bool_]  # whether one is
    weights: NDArray[np.float64]  # how many real queries each represents
    folds: NDArray[np.int64]  # which fold each belongs to


def said_of(reader: Reader, data: DataFolder) -> Said:
    """Return a reader's predictions on real queries; unlabelled ones exclude nothing."""
    task = real_queries(data)
    firm = [(labels, group) for labels, group in zip(task.queries, task.group_of, strict=True) if not labels.soft]
    readings = reader.read([labels.query for labels, _ in firm])
    topics = np.array([max((each.over("pages") for each in reading.exclusions), default=0.0) for reading in readings])
    return Said(
        topics,
        np.array([bool(labels.excluded) for labels, _ in firm]),
        np.array([float(task.weight_of.get(group, 1)) for _, group in firm]),
        np.array([fold_of(labels.query) for labels, _ in firm]),
    )


class Calibration(NamedTuple):
    """confidence = sigma(scale * logit + shift): Platt scaling."""

    scale: float
    shift: float


def calibrate(confidences: Array, right: NDArray[np.bool_], weights: Array) -> Calibration:
    """Fit a calibration.

    Args:
        confidences: The network's outputs on held-out queries, before calibration.
        right: Whether they exclude a topic.
        weights: How many real queries each represents.
    """
    said = np.clip(confidences, 1e-9, 1 - 1e-9)
    logits = np.log(said) - np.log1p(-said)
    fitted = LogisticRegression(C=1e3).fit(logits[:, None], right, sample_weight=weights)
    return Calibration(float(fitted.coef_[0, 0]), float(fitted.intercept_[0]))
