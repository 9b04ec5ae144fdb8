"""Means, groups and the paired bootstrap."""

import numpy as np
import pytest

from boolattn_lab.benchmarks.significance import grouped, means, paired_bootstrap, welch_interval


def test_means_are_over_the_queries_that_have_a_value():
    assert means({"R@20": {"a": 1.0, "b": 0.0}, "violation@20": {"b": 0.5}, "AP": {}}) == {
        "R@20": 0.5,
        "violation@20": 0.5,
    }


def test_groups_contain_only_their_queries():
    values = {"R@20": {"a": 1.0, "b": 0.0, "c": 0.5}, "violation@20": {"b": 0.5}}
    groups = grouped(values, {"c": "_", "a": "_", "b": "_ not _", "unmeasured": "_ or _"})
    assert groups == {"_": {"R@20": {"a": 1.0, "c": 0.5}}, "_ not _": {"R@20": {"b": 0.0}, "violation@20": {"b": 0.5}}}
    assert list(groups) == ["_", "_ not _"]


def paired(shift: float, queries: int = 400) -> tuple[dict[str, float], dict[str, float]]:
    """Two systems that agree on which queries are hard, and differ by a shift with a deviation of 0.1."""
    rng = np.random.default_rng(3)
    hardness, noise = rng.random(queries), rng.normal(shift, 0.1, queries)
    return (
        {str(query): float(value) for query, value in enumerate(hardness + noise)},
        {str(query): float(value) for query, value in enumerate(hardness)},
    )


def test_interval_is_that_of_the_paired_difference():
    first, second = paired(0.05)
    difference = paired_bootstrap(first, dict(reversed(second.items())))
    # The normal interval of 400 differences; unpaired, it would be four times as wide.
    values = np.array([first[query] - second[query] for query in first])
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    assert difference.mean == pytest.approx(values.mean())
    assert difference.low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert difference.high == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_interval_has_about_its_nominal_coverage():
    rng = np.random.default_rng(0)
    covered = 0
    for trial in range(200):
        first = {str(query): value for query, value in enumerate(rng.normal(0.3, 1, 60))}
        interval = paired_bootstrap(first, dict.fromkeys(first, 0.0), resamples=500, level=0.8, seed=trial)
        covered += interval.low <= 0.3 <= interval.high
    assert 0.7 < covered / 200 < 0.9


def test_welch_interval_has_about_its_nominal_coverage_with_three_seeds():
    rng = np.random.default_rng(0)
    intervals = [welch_interval(rng.normal(0.3, 0.1, 3), rng.normal(0, 0.1, 3), level=0.8) for _ in range(500)]
    assert 0.75 < sum(each.low <= 0.3 <= each.high for each in intervals) / 500 < 0.88
    assert welch_interval([0.5, 0.5], [0.25, 0.25]) == (0.25, 0.25, 0.25)


@pytest.mark.filterwarnings("error")
def test_welch_interval_does_not_warn_if_one_system_is_the_same_in_all_seeds():
    one_varies = welch_interval([1.0, 1.0, 1.0], [0.2, 0.3, 0.4])
    half_width = 4.303 * 0.1 / 3**0.5  # Student's t with two degrees of freedom, times the standard error
    assert one_varies == pytest.approx((0.7, 0.7 - half_width, 0.7 + half_width), abs=1e-4)


def test_seed_decides():
    first, second = paired(0.0, queries=50)
    assert paired_bootstrap(first, second, seed=1) == paired_bootstrap(first, second, seed=1)
    assert paired_bootstrap(first, second, seed=1) != paired_bootstrap(first, second, seed=2)


def test_resamples_are_all_drawn_in_several_parts(monkeypatch):
    first, second = paired(0.05)
    whole = paired_bootstrap(first, second, resamples=1001)
    monkeypatch.setattr("boolattn_lab.benchmarks.significance.RESAMPLED_AT_ONCE", 1000)
    assert paired_bootstrap(first, second, resamples=1001) == whole


def test_other_queries_cannot_be_paired():
    with pytest.raises(ValueError, match="same queries, but 2 have"):
        paired_bootstrap({"a": 1.0, "b": 1.0}, {"a": 1.0, "c": 1.0})
    with pytest.raises(ValueError, match="no queries"):
        paired_bootstrap({}, {})
