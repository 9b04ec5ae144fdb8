"""A reader's predictions on real queries that it was not trained on, and how often they are right."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from boolattn.reading.learned import Calibration
from boolattn.reading.reading import Documents, Reader
from boolattn_lab.benchmarks.reading_scores import judge
from boolattn_lab.benchmarks.sets.exclusions import real_queries, requests, shop
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.hashed_labels import measures_only
from boolattn_lab.formats.query_labels import QueryLabels, read_query_labels
from boolattn_lab.reader.recipe import Strictnesses
from boolattn_lab.reader.rows import fold_of

Array = NDArray[np.float64]


class Said(NamedTuple):
    """A reader's predictions on N queries that it was not trained on."""

    confidences: NDArray[np.float64]  # how sure it is that something is excluded; over pages, a topic
    right: NDArray[np.bool_]  # whether something is
    weights: NDArray[np.float64]  # how many real queries each represents
    folds: NDArray[np.int64]  # which fold each belongs to


def said_of(reader: Reader, data: DataFolder, documents: Documents) -> Said:
    """Return a reader's predictions on real queries; unlabelled ones exclude nothing."""
    rows = [(labels, weight) for labels, weight in _weighted(data, documents) if not labels.soft]
    readings = reader.read([labels.query for labels, _ in rows])
    judged = [judge(labels, reading, documents) for (labels, _), reading in zip(rows, readings, strict=True)]
    return Said(
        np.array([max((each.over(documents) for each in reading.exclusions), default=0.0) for reading in readings]),
        np.array([bool(each.excludes) for each in judged]),
        np.array([float(weight) for _, weight in rows]),
        np.array([fold_of(labels.query) for labels, _ in rows]),
    )


def _weighted(data: DataFolder, documents: Documents) -> Iterator[tuple[QueryLabels, int]]:
    """Yield real queries, and how many each represents."""
    yield from ((labels, 1) for labels in requests(data, documents).queries)
    if documents == "things":
        yield from ((labels, 1) for labels in (*shop(data).queries, *_not_measured(data, "shop")))
        return
    task = real_queries(data)
    yield from (
        (labels, task.weight_of.get(group, 1)) for labels, group in zip(task.queries, task.group_of, strict=True)
    )
    yield from ((labels, 1) for labels in _not_measured(data, "web-queries"))


def _not_measured(data: DataFolder, name: str) -> Iterable[QueryLabels]:
    """Return the half of some unlabelled queries that no benchmark measures."""
    queries = dict.fromkeys(row.query for row in read_query_labels(data.path / name / "queries.jsonl.zst", data.skip))
    return (QueryLabels(query) for query in queries if not measures_only(query))


def calibrate(
    confidences: Array, right: NDArray[np.bool_], weights: Array, thresholds: Strictnesses | None = None
) -> Calibration:
    """Fit a calibration: Platt scaling.

    Args:
        confidences: The network's outputs on held-out queries, before calibration.
        right: Whether they exclude something.
        weights: How many real queries each represents.
        thresholds: Of the calibration.
    """
    said = np.clip(confidences, 1e-9, 1 - 1e-9)
    logits = np.log(said) - np.log1p(-said)
    fitted = LogisticRegression(C=1e3).fit(logits[:, None], right, sample_weight=weights)
    found = Calibration(float(fitted.coef_[0, 0]), float(fitted.intercept_[0]))
    return Calibration(found.scale, found.shift, thresholds) if thresholds else found
