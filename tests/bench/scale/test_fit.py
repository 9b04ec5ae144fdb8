import pytest

from boolattn.bench.scale.capacity import CORES, FULL, Layout, encoding_core_days, layouts, need
from boolattn.bench.scale.fit import Curve, check, fit, points_of

SIZES = (10_000, 100_000, 300_000, 1_000_000)


def test_a_power_and_a_line_are_found_again():
    power = fit(SIZES, [0.002 * size**1.1 for size in SIZES], "power")
    assert (power.a, power.b) == (pytest.approx(0.002), pytest.approx(1.1))
    line = fit(SIZES, [300 + 0.0017 * size for size in SIZES], "line")
    assert (line.a, line.b) == (pytest.approx(300), pytest.approx(0.0017))


def test_the_largest_size_is_held_out():
    points = {size: 2.0 * size for size in SIZES}
    assert check(points, "power").error == pytest.approx(0)
    found = check(points | {1_000_000: 4_000_000.0}, "power")
    assert found.error == pytest.approx(-0.5), "the measured figure at the held-out size must not be in the fit"


def test_one_size_is_not_enough():
    with pytest.raises(ValueError, match="at least 2"):
        fit([10], [1], "line")


def test_of_one_size_the_measurement_with_most_real_vectors_counts():
    results = [{"vectors": 100, "real": real, "disk_mb": real} for real in (100, 10)]
    assert points_of(results, "disk_mb") == {100: 100.0}


LAYOUT = Layout("graph", memory=2000, disk=3000, rate=Curve("power", 100, 0), build=Curve("power", 0.001, 1))


def test_shards_follow_from_memory_and_replicas_from_the_rate():
    small, large = need(10**6, LAYOUT), need(10**9, LAYOUT)
    assert (small.shards, small.bound) == (1, "memory")
    assert large.shards == 23  # 2 TB in 0.7 x 128 GB each
    per_machine = FULL * CORES * 100  # 1,120 queries per second
    assert large.replicas == {100: 2, 10_000: -(-10_000 // int(per_machine))}
    assert large.machines == {100: 46, 10_000: 23 * 9}
    assert large.build_hours == pytest.approx(0.001 * 10**9 / 23 / CORES / 3600)


def test_slower_searches_in_larger_shards_need_more_replicas():
    slower = Layout("graph", 2000, 3000, Curve("power", 100, -0.1), LAYOUT.build)
    assert need(10**9, slower).replicas[10_000] > need(10**9, LAYOUT).replicas[10_000]


def test_the_layouts_come_from_the_measurements():
    results = [
        {"vectors": size, "real": size, "disk_mb": 0.002 * size, "memory_mb": 50 + 0.001 * size,
         "build_cpu_seconds": 0.001 * size, "query_cpu_ms": 10.0}
        for size in SIZES
    ]  # fmt: skip
    [found] = layouts({"milvus": results, "lance": [results[0] | {"index_mb": 1.0}]})  # one size is not enough
    assert found.name == "HNSW (Milvus)"
    assert found.memory == pytest.approx(0.001 * 1024**2)
    assert found.rate.at(10**8) == pytest.approx(100)
    assert found.build.at(10**6) == pytest.approx(1000), "core-seconds"


def test_encoding_time():
    assert encoding_core_days(86_400 * 100, 100) == pytest.approx(1)
