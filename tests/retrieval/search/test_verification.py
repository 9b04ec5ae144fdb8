import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolattn.reading import limits
from boolattn.reading.syntax import parse
from boolattn.retrieval.index.protocol import Rows
from boolattn.retrieval.search.verification import UNWANTED, Pool


def pool(query, shares, spread=1.0):
    """Return a pool with given shares (A, N) for a query in explicit syntax."""
    plan, shares = parse(query), np.array(shares, dtype=float)
    count = shares.shape[1]
    rows = Rows([str(n) for n in range(count)], [""] * count, [""] * count, np.zeros((count, 1)), [{}] * count)
    return Pool(plan.atoms, plan.condition, rows, np.zeros(count), spread, shares)


def added(query, shares, strength=1 / UNWANTED):
    return pool(query, shares).effects(strength).sum(axis=0)


def test_not_lowers_by_the_square_of_the_share_times_strength():
    assert added("a NOT b", [[1, 1, 1], [1, 0.5, 0]], strength=2 / UNWANTED) == pytest.approx([-1, 0.5, 1])


def test_and_takes_the_mean_and_not_is_subtracted():
    assert added("a AND b NOT c NOT d", [[1], [0.5], [1], [0.5]]) == pytest.approx([0.75 - 1 - 0.25])


def test_or_takes_the_best():
    assert added("a OR b", [[0.2, 0], [0.1, 0.3]]) == pytest.approx([0.2, 0.3])


def test_not_within_or_does_not_affect_the_other_part():
    assert added("(a NOT b) OR c", [[1, 1], [1, 0], [0.5, 0.5]]) == pytest.approx([0.5, 1])


def test_not_both_lowers_where_both_are_found():
    assert added("a NOT (b AND c)", [[1, 1], [1, 1], [0.5, 0]]) == pytest.approx([1 - 0.25, 1])


def test_only_unwanted_atoms_lower():
    assert added("NOT a", [[1, 0]]) == pytest.approx([-1, 0])


def test_effects_are_reported_by_atom():
    effects = pool("(a NOT b) OR c", [[1, 1], [1, 0], [0.5, 0.5]]).effects(1 / UNWANTED)
    assert effects == pytest.approx(np.array([[0, 1], [0, 0], [0.5, 0]]))


def test_words_are_on_the_scale_of_the_vectors():
    assert pool("a NOT b", [[1], [1]], spread=0.1).effects(1) == pytest.approx(np.array([[0.1], [-0.1 * UNWANTED]]))


@given(
    st.sampled_from(["a", "NOT a", "a NOT b", "a OR b", "(a AND b) OR (c NOT d)", "a AND (b OR c) NOT d"]),
    st.lists(st.lists(st.floats(0, 0.5), min_size=4, max_size=4), min_size=1, max_size=5),
    st.floats(0, 5),
    st.floats(0, 0.5),
)
def test_more_strength_never_raises_and_more_of_a_wanted_atom_never_lowers(query, columns, strength, more):
    evidence = np.array(columns).T[: len(parse(query).atoms)]
    before = added(query, evidence, strength)
    assert np.all(added(query, evidence, strength + more) <= before + 1e-9)
    for row, atom in enumerate(parse(query).atoms):
        changed = evidence.copy()
        changed[row] += more
        difference = atom.sign * (added(query, changed, strength) - before)
        assert np.all(difference >= -1e-9)


def test_evidence_comes_from_vectors_and_words():
    plan = parse("opera NOT war")
    rows = Rows(
        ["1", "2", "3"],
        ["War", "", ""],
        ["an opera", "an opera", "a hat"],
        np.array([[1, 0], [0, 0.5], [0, 0]], dtype=np.float32),
        [{}, {}, {}],
    )
    found = Pool.of(plan, rows, np.array([1, 1], np.float32), {"1", "2"})
    assert found.similarity == pytest.approx([1, 0.5, 0])
    assert found.spread == pytest.approx(0.5)  # the third is BM25's
    assert found.shares == pytest.approx(np.array([[1, 1, 0], [1, 0, 0]]))


def test_the_similarity_of_a_candidate_does_not_depend_on_the_others():
    random = np.random.default_rng(0)
    vectors, vector = random.normal(size=(23, 384)).astype(np.float32), random.normal(size=384).astype(np.float32)

    def similarity(order):
        ids = [str(place) for place in order]
        rows = Rows(ids, [""] * len(ids), ["an opera"] * len(ids), vectors[order], [{}] * len(ids))
        found = Pool.of(parse("opera NOT war"), rows, vector, set(ids)).similarity
        return dict(zip(ids, found, strict=True))

    everywhere = similarity(np.arange(23))
    for size in (1, 2, 7, 22):
        order = random.permutation(23)[:size]
        assert similarity(order).items() <= everywhere.items()


def test_a_pool_of_text_hits_alone_has_no_scale():
    rows = Rows(["1"], [""], ["an opera"], np.ones((1, 2), np.float32), [{}])
    assert Pool.of(parse("opera NOT war"), rows, np.ones(2, np.float32), set()).spread == 0


@pytest.mark.parametrize("joined", [" OR ", " AND ", " NOT "])
def test_memory_grows_with_the_atoms_and_not_with_their_square(joined, monkeypatch):
    monkeypatch.setattr(limits, "MOST_ATOMS", 1000)
    shares = np.ones((300, 200))
    found = pool(joined.join(f"a{number}" for number in range(300)), shares)
    tracemalloc.start()
    found.effects(1.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5 * shares.nbytes
