"""Exact search against brute force, and its memory use."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolattn_lab.benchmarks import exact_search as module
from boolattn_lab.benchmarks.exact_search import exact_search

MEGABYTE = 2**20
STATUS = Path("/proc/self/status")
CLEAR_PEAK = Path("/proc/self/clear_refs")


def coarse(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Vectors of few bits: their products are exact in any order of summation, and ties are common."""
    return rng.integers(-4, 5, size=shape, dtype=np.int8) / np.float32(4)


def brute_force(queries: np.ndarray, documents: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    scores = queries @ documents.T
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(scores, order, axis=1)


def assert_same(found, queries, documents, k):
    order, scores = brute_force(queries, documents, k)
    np.testing.assert_array_equal([ranking.documents for ranking in found], order)
    np.testing.assert_array_equal([ranking.scores for ranking in found], scores)


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(1, 60), st.integers(1, 3), st.integers(1, 70),
    st.integers(1, 70),
)  # fmt: skip
def test_equals_brute_force_with_ties(seed, queries, documents, dimensions, k, chunk):
    rng = np.random.default_rng(seed)
    asked, vectors = coarse(rng, queries, dimensions), coarse(rng, documents, dimensions)
    assert_same(exact_search(asked, vectors, k, chunk=chunk, progress=False), asked, vectors, k)


def test_more_queries_than_are_searched_at_once():
    rng = np.random.default_rng(0)
    queries, documents = coarse(rng, 2 * module.QUERIES_AT_ONCE + 3, 8), coarse(rng, 100, 8)
    assert_same(exact_search(queries, documents, 5, chunk=30, progress=False), queries, documents, 5)


def test_memory_map_and_half_precision(tmp_path):
    rng = np.random.default_rng(1)
    queries, documents = coarse(rng, 4, 16), coarse(rng, 500, 16)
    np.save(tmp_path / "vectors.npy", documents.astype(np.float16))
    mapped = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    assert_same(exact_search(queries, mapped, 20, chunk=64, progress=False), queries, documents, 20)


def test_blocks_keep_their_identifiers():
    rng = np.random.default_rng(2)
    queries, documents = coarse(rng, 4, 16), coarse(rng, 100, 16)
    names = [f"title {'long ' * (number % 4)}{number}" for number in range(100)]
    edges = [0, 3, 3, 60, 100]
    blocks = ((names[a:b], documents[a:b]) for a, b in pairwise(edges))
    found = exact_search(queries, blocks, 7, chunk=25, progress=False)
    order, _ = brute_force(queries, documents, 7)
    assert [list(ranking.documents) for ranking in found] == [[names[number] for number in row] for row in order]
    assert {type(name) for ranking in found for name in ranking.documents} == {str}


def test_numbers_stay_numbers():
    blocks = [(np.array([7, 9], dtype=np.uint64), np.eye(2)), ([2**40], np.eye(2)[:1])]
    (ranking,) = exact_search(np.array([[1.0, 0.5]]), blocks, 10, progress=False)
    assert ranking.documents.tolist() == [7, 2**40, 9]
    assert ranking.documents.dtype == np.int64
    assert ranking.scores.dtype == np.float32


def test_progress_goes_to_standard_error_or_nowhere(capfd):
    exact_search(np.eye(2), np.eye(2), 1, progress=False)
    assert capfd.readouterr() == ("", "")
    exact_search(np.eye(2), np.eye(2), 1)
    out, err = capfd.readouterr()
    assert out == "" and "Searching" in err


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="k must be at least 1"):
        exact_search(np.eye(2), np.eye(2), 0)
    with pytest.raises(ValueError, match="documents have 3 dimensions and queries 2"):
        exact_search(np.eye(2), np.eye(3), 1, progress=False)
    with pytest.raises(ValueError, match="documents contain NaN"):
        exact_search(np.eye(2), np.full((3, 2), np.nan), 1, progress=False)
    with pytest.raises(ValueError, match="2 IDs for 3 vectors"):
        exact_search(np.eye(2), [(["a", "b"], np.ones((3, 2)))], 1, progress=False)


def memory(kind: str) -> int:
    (line,) = [line for line in STATUS.read_text().splitlines() if line.startswith(kind)]
    return int(line.split()[1]) * 1024


@pytest.mark.skipif(not CLEAR_PEAK.exists(), reason="peak memory is read from Linux's /proc")
def test_200_000_documents_equal_brute_force_in_bounded_memory():
    documents, dimensions, block, queries, k, chunk = 200_000, 384, 5_000, 64, 100, 4096

    def blocks():
        for number in range(documents // block):
            ids = np.arange(number * block, (number + 1) * block)
            yield ids, coarse(np.random.default_rng(number), block, dimensions)

    asked = coarse(np.random.default_rng(99), queries, dimensions)
    warm_up = np.zeros((chunk, dimensions))  # so that what torch loads at first use is not counted
    exact_search(asked, warm_up, k, chunk=chunk, progress=False)
    CLEAR_PEAK.write_text("5")
    before = memory("VmRSS")
    found = exact_search(asked, blocks(), k, chunk=chunk, progress=False)
    extra = memory("VmHWM") - before

    scores = 20 * queries * (chunk + k)
    vectors = 2 * (chunk + block) * dimensions * 4  # a block lives until the next is there
    # The allocator keeps some of what was freed. All vectors together would take 300 MB.
    assert extra < scores + vectors + 64 * MEGABYTE
    assert extra < documents * dimensions * 4 / 4, "less than a quarter of what all documents would take"
    assert_same(found, asked, np.concatenate([vectors for _, vectors in blocks()]), k)
