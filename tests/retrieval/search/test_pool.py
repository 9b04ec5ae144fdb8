import numpy as np
import pytest

from boolattn.reading.syntax import parse
from boolattn.retrieval.index.protocol import Rows
from boolattn.retrieval.search.hits import Pool


def test_evidence_comes_from_vectors_and_words():
    plan = parse("opera NOT war")
    rows = Rows(
        ["1", "2", "3"],
        ["War", "", ""],
        ["an opera", "an opera", "a hat"],
        np.array([[1, 0], [0, 0.5], [0, 0]], dtype=np.float32),
        [{}, {}, {}],
    )
    found = Pool.of(plan, rows, np.array([[1, 1]], np.float32), {"1", "2"}).evidence
    assert found.similarity == pytest.approx([1, 0.5, 0])
    assert found.spread == pytest.approx(0.5)  # the third is BM25's
    assert found.shares == pytest.approx(np.array([[1, 1, 0], [1, 0, 0]]))


def test_the_similarity_of_a_candidate_does_not_depend_on_the_others():
    random = np.random.default_rng(0)
    vectors, vector = random.normal(size=(23, 384)).astype(np.float32), random.normal(size=384).astype(np.float32)

    def similarity(order):
        ids = [str(place) for place in order]
        rows = Rows(ids, [""] * len(ids), ["an opera"] * len(ids), vectors[order], [{}] * len(ids))
        found = Pool.of(parse("opera NOT war"), rows, vector[None], set(ids)).evidence.similarity
        return dict(zip(ids, found, strict=True))

    everywhere = similarity(np.arange(23))
    for size in (1, 2, 7, 22):
        order = random.permutation(23)[:size]
        assert similarity(order).items() <= everywhere.items()


def test_words_alone_order_a_pool_of_text_hits():
    rows = Rows(["1"], [""], ["an opera"], np.ones((1, 2), np.float32), [{}])
    assert Pool.of(parse("opera NOT war"), rows, np.ones((1, 2), np.float32), set()).evidence.spread == 1


def test_a_candidate_counts_by_the_nearest_alternative():
    rows = Rows(["1", "2"], ["", ""], ["an opera", "a hat"], np.eye(2, dtype=np.float32), [{}, {}])
    found = Pool.of(parse("opera OR hat"), rows, np.array([[1, 0], [0, 0.5]], np.float32), {"1", "2"}).evidence
    assert found.similarity == pytest.approx([1, 0.5])
