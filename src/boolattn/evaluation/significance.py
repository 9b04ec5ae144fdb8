"""From values per query to figures that can be compared: means per template, and intervals between two systems."""

from collections import defaultdict
from collections.abc import Mapping
from statistics import fmean
from typing import NamedTuple

import numpy as np

from boolattn.evaluation.measures import PerQuery

RESAMPLED_AT_ONCE = 1_000_000


def means(values: PerQuery) -> dict[str, float]:
    """Average each measure over the queries that have a value of it; a measure that none has is left out."""
    return {measure: fmean(by_query.values()) for measure, by_query in values.items() if by_query}


def grouped(values: PerQuery, group_of: Mapping[str, str]) -> dict[str, PerQuery]:
    """Part the queries into groups, such as templates, in the order in which ``group_of`` first names them."""
    groups: dict[str, PerQuery] = {group: defaultdict(dict) for group in dict.fromkeys(group_of.values())}
    for measure, by_query in values.items():
        for query, value in by_query.items():
            groups[group_of[query]][measure][query] = value
    return {group: dict(parted) for group, parted in groups.items() if parted}


class Difference(NamedTuple):
    """How much the first system is above the second, with the bounds of a confidence interval."""

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
    """Estimate by resampling queries how surely one system beats another: surely, if 0 lies outside the interval.

    This is the percentile bootstrap of the mean difference. It assumes that the queries are independent draws from
    those the systems are meant for (queries made from the same few atoms are not, and then the interval is too
    narrow), and that there are enough of them, some 30 at least. It sees the chance in the choice of queries, not that
    of training: for that, compare over seeds.

    Args:
        first: Query -> value of a measure.
        second: The same measure of the same queries, by another system.
        resamples: How often as many queries are drawn, with replacement.
        level: The confidence.
        seed: Makes the result reproducible.
    """
    if first.keys() != second.keys():
        unpaired = len(first.keys() ^ second.keys())
        raise ValueError(f"both systems must be measured on the same queries, but {unpaired} have one value only")
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
