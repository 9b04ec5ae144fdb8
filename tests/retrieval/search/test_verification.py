import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolattn.reading.syntax import parse
from boolattn.retrieval.index.protocol import Hit, Rows
from boolattn.retrieval.search.verification import Pool, standardised


def pool(query, evidence, whole=None):
    """Hold evidence (A, N) for a query in explicit syntax."""
    plan, evidence = parse(query), np.array(evidence, dtype=float)
    count = evidence.shape[1]
    rows = Rows([str(n) for n in range(count)], [""] * count, [""] * count, np.zeros((count, 1)), [{}] * count)
    return Pool(plan.atoms, plan.condition, rows, np.array(whole or [0.0] * count), evidence)


def added(query, evidence, strength=1.0):
    return pool(query, evidence).effects(strength).sum(axis=0)


def test_not_lowers_by_strength_times_evidence_and_never_raises():
    assert added("a NOT b", [[1, 1, 1], [2, 0, -3]], strength=0.5) == pytest.approx([0, 1, 1])


def test_and_takes_the_mean_and_not_comes_on_top():
    assert added("a AND b NOT c NOT d", [[2], [4], [1], [0.5]], strength=2) == pytest.approx([3 - 2 - 1])


def test_or_takes_the_best():
    assert added("a OR b", [[2, -1], [1, 3]]) == pytest.approx([2, 3])


def test_not_within_or_does_not_touch_the_other_part():
    query = "(a NOT b) OR c"
    assert added(query, [[1, 1], [5, 0], [0.5, 0.5]]) == pytest.approx([0.5, 1])


def test_not_both_lowers_where_both_are_found():
    assert added("a NOT (b AND c)", [[1, 1], [3, 3], [2, -2]]) == pytest.approx([1 - 2, 1])


def test_only_unwanted_atoms_lower():
    assert added("NOT a", [[1, -1]]) == pytest.approx([-1, 0])


def test_effects_tell_which_atom_did_it():
    effects = pool("(a NOT b) OR c", [[1, 1], [5, 0], [0.5, 0.5]]).effects(1)
    assert effects == pytest.approx(np.array([[0, 1], [0, 0], [0.5, 0]]))


@given(
    st.sampled_from(["a", "NOT a", "a NOT b", "a OR b", "(a AND b) OR (c NOT d)", "a AND (b OR c) NOT d"]),
    st.lists(st.lists(st.floats(-4, 4), min_size=4, max_size=4), min_size=1, max_size=5),
    st.floats(0, 5),
    st.floats(0, 5),
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


def test_evidence_is_in_standard_deviations_over_the_pool():
    found = standardised([[1, 2, 3], [7, 7, 7]])
    assert found[0] == pytest.approx([-np.sqrt(1.5), 0, np.sqrt(1.5)])
    assert list(found[1]) == [0, 0, 0]
    assert standardised(np.zeros((2, 0))).shape == (2, 0)


def test_evidence_comes_from_vectors_and_words():
    plan = parse("opera NOT war")
    rows = Rows(
        ["1", "2", "3"],
        ["War", "", ""],
        ["an opera", "an opera", "a hat"],
        np.array([[1, 0], [0, 1], [0, 0]], dtype=np.float32),
        [{}, {}, {}],
    )
    query, wanted = np.array([1, 1], np.float32), np.array([[0, 1]], np.float32)
    found = Pool.of(plan, rows, query, wanted, [Hit("2", 3.0), Hit("9", 9.0)])
    assert found.query == pytest.approx(standardised([1, 1, 0]) + standardised([0, 3, 0]))
    assert found.evidence[0] == pytest.approx(standardised([0, 1, 0]) + standardised([1, 1, 0]))
    assert found.evidence[1] == pytest.approx(standardised([1, 0, 0]))  # the words alone
