"""Aggregate per-query values: means per template, and confidence intervals of the difference of two systems."""

import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
from scipy.stats import ttest_ind

from boolattn_lab.benchmarks.measures import PerQuery

RESAMPLED_AT_ONCE = 1_000_000


def means(values: PerQuery) -> dict[str, float]:
    """Average each measure over the queries that have a value; measures without values are omitted."""
    return {measure: fmean(by_query.values()) for measure, by_query in values.items() if by_query}


def grouped(values: PerQuery, group_of: Mapping[str, str]) -> dict[str, PerQuery]:
    """Split the queries into groups, such as templates, in order of first appearance."""
    groups: dict[str, PerQuery] = {group: defaultdict(dict) for group in dict.fromkeys(group_of.values())}
    for measure, by_query in values.items():
        for query, value in by_query.items():
            groups[group_of[query]][measure][query] = value
    return {group: dict(parted) for group, parted in groups.items() if parted}


class Difference(NamedTuple):
    """The mean difference, first system minus second, with the bounds of a confidence interval."""

    mean: float
    low: float
    high: float


def paired_bootstrap(
    first: Mapping[str, float],
    second: Mapping[str, float],
    *,
    resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
) -> Difference:
    """Test by resampling queries whether two systems differ: they do if 0 is outside the interval.

    This is the percentile bootstrap of the mean difference. It assumes that the queries are independent samples of
    the target distribution (queries made from the same few atoms are not, and the interval is then too narrow), and
    that there are enough, at least 30 or so. It covers the randomness of the queries, not that of training: for
    that, see `welch_interval`.

    Args:
        first: Query -> value of a measure.
        second: The same measure of the same queries for another system.
        resamples: Number of bootstrap samples.
        level: The confidence level.
        seed: Seed of the resampling.
    """
    if first.keys() != second.keys():
        unpaired = len(first.keys() ^ second.keys())
        raise ValueError(f"both systems must be evaluated on the same queries, but {unpaired} have only one value")
    if not first:
        raise ValueError("there are no queries to compare the two systems on")
    differences = np.array([first[query] - second[query] for query in first])
    generator = np.random.default_rng(seed)
    rows = max(1, RESAMPLED_AT_ONCE // len(differences))
    resampled = []
    for done in range(0, resamples, rows):
        drawn = generator.integers(len(differences), size=(min(rows, resamples - done), len(differences)))
        resampled.append(differences[drawn].mean(axis=1))
    tail = (1 - level) / 2
    low, high = np.quantile(np.concatenate(resampled), [tail, 1 - tail])
    return Difference(float(differences.mean()), float(low), float(high))


def welch_interval(first: Sequence[float], second: Sequence[float], *, level: float = 0.95) -> Difference:
    """Test whether two systems differ by more than the randomness of training: they do if 0 is outside the interval.

    This is Welch's t interval over seeds, for fixed queries. With few seeds it is wide, as it should be.

    Args:
        first: A system's mean over all queries, one for each seed; at least two.
        second: The same measure of another system.
        level: The confidence level.
    """
    mean = fmean(first) - fmean(second)
    if len(set(first)) == len(set(second)) == 1:  # no variance: Welch's interval is not defined
        return Difference(mean, mean, mean)
    with warnings.catch_warnings():
        # SciPy warns if all values of one system are equal; the interval then rests on the other's variance
        warnings.filterwarnings("ignore", "Precision loss", RuntimeWarning)
        interval = ttest_ind(first, second, equal_var=False).confidence_interval(level)
    return Difference(mean, float(interval.low), float(interval.high))
