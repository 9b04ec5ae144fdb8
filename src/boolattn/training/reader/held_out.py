"""What a reader says of real queries that it was not trained on."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolattn.data.folder import DataFolder
from boolattn.evaluation.benchmarks.exclusions import real_queries
from boolattn.reading.reading import Reader
from boolattn.training.reader.rows import fold_of


class Said(NamedTuple):
    """What a reader says of N queries it was not trained on."""

    confidences: NDArray[np.float64]  # that a topic is excluded
    right: NDArray[np.bool_]  # whether one is
    weights: NDArray[np.float64]  # how many real queries each counts for
    folds: NDArray[np.int64]  # which fold each belongs to


def said_of(reader: Reader, data: DataFolder) -> Said:
    """Return what a reader says of real queries; one that is not labelled excludes nothing."""
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
