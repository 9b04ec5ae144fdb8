import numpy as np
import pytest

from boolattn.reading.learned import Calibration
from boolattn_lab.reader.held_out import Said, calibrate
from boolattn_lab.reader.picture import draw_curves, draw_reliability, rates


def test_calibration_finds_how_often_a_reader_is_right():
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 3, 20_000)
    truth = 1 / (1 + np.exp(-(0.5 * logits - 2)))
    found = calibrate(1 / (1 + np.exp(-logits)), rng.random(20_000) < truth, np.ones(20_000))
    assert found.scale == pytest.approx(0.5, abs=0.05) and found.shift == pytest.approx(-2, abs=0.1)


def test_a_row_that_represents_two_counts_twice():
    confidences, right = np.array([0.9, 0.9, 0.2]), np.array([True, False, False])
    twice = calibrate(confidences, right, np.array([2.0, 1.0, 1.0]))
    counted = calibrate(confidences[[0, 0, 1, 2]], right[[0, 0, 1, 2]], np.ones(4))
    assert (twice.scale, twice.shift) == pytest.approx((counted.scale, counted.shift))


def test_rates_count_false_alarms_per_ten_thousand():
    weights, folds = np.array([1.0, 2.0, 1.0, 6.0]), np.zeros(4, int)
    said = Said(np.array([0.9, 0.8, 0.2, 0.0]), np.array([True, False, True, False]), weights, folds)
    assert rates(said, 0.5) == (0.5, 2000.0)
    assert rates(said, 0.85) == (0.5, 0.0)


def test_pictures_are_drawn(tmp_path):
    rng = np.random.default_rng(0)
    said = Said(rng.random(200), rng.random(200) < 0.3, np.ones(200), np.zeros(200, int))
    both = {"things": said, "pages": said}
    draw_curves(both, dict.fromkeys(both, Calibration()), tmp_path / "curve.png")
    draw_reliability(both, tmp_path / "reliability.png")
    assert all((tmp_path / name).stat().st_size > 5000 for name in ("curve.png", "reliability.png"))
