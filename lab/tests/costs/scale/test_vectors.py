"""Copies with jitter lie among the real vectors, and a larger set starts with the smaller ones."""

import pickle

import numpy as np
import pytest

from boolattn_lab.costs.scale import vectors as module
from boolattn_lab.costs.scale.vectors import ScaledVectors, describe, share_of_jitter, unit


@pytest.fixture
def scaled(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 500)
    rng = np.random.default_rng(0)
    base = unit((rng.normal(size=(40, 24))[rng.integers(40, size=800)] + 0.4 * rng.normal(size=(800, 24))).astype("f4"))
    np.save(tmp_path / "real.npy", base)
    return ScaledVectors(tmp_path / "real.npy", 800, share_of_jitter(base, 0), 0)


def rows(vectors, count):
    return np.concatenate([some for _, some in vectors.blocks(count)])


def test_the_first_vectors_are_the_real_ones(scaled):
    np.testing.assert_allclose(rows(scaled, 1700)[:800], scaled.base, atol=1e-6)


def test_a_larger_set_starts_with_the_smaller_one_and_others_make_the_same(scaled):
    many = rows(scaled, 2300)
    assert np.array_equal(rows(scaled, 1234), many[:1234])
    assert np.array_equal(rows(pickle.loads(pickle.dumps(scaled)), 2300), many)
    assert [len(numbers) for numbers, _ in scaled.blocks(1234)] == [500, 500, 234]


def test_a_copy_is_as_near_as_a_real_neighbour_and_never_the_same(scaled):
    many = rows(scaled, 1600)
    np.testing.assert_allclose(np.linalg.norm(many, axis=1), 1, atol=1e-5)
    cosines = np.sum(many[:800] * many[800:], axis=1)
    found = describe(scaled)
    assert np.median(cosines) == pytest.approx(found["cosine_of_nearest_real"], abs=0.05)
    assert found["cosine_of_copy_and_original"] == pytest.approx(np.median(cosines), abs=0.02)
    assert cosines.max() < 0.9999


def test_jitter_has_the_spread_of_the_data(scaled):
    """Along directions in which the data does not vary, neither do the copies."""
    flat = scaled.base.copy()
    flat[:, :12] = 0
    np.save(scaled.path, unit(flat))
    assert np.abs(rows(ScaledVectors(scaled.path, 800, 0.5, 0), 1600)[:, :12]).max() < 1e-6
