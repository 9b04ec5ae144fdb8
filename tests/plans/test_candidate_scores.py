import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolattn.plans.candidate_scores import Evidence, Weights
from boolattn.plans.word_matching import Mentions
from boolattn.reading import limits
from boolattn.reading.caller import caller_reading
from boolattn.reading.syntax import parse

UNWANTED = 0.25
WEIGHTS = Weights(wanted=1.0, unwanted=UNWANTED, denied=0.0, verifier=0.0)


def evidence_of(query, shares, spread=1.0, plan=None):
    """Return evidence with given shares (A, N) for a query in explicit syntax."""
    plan, shares = plan or parse(query), np.array(shares, dtype=float)
    nothing = np.zeros_like(shares)
    mentions = Mentions(shares, nothing, shares == 1, nothing > 0)
    return Evidence(plan.atoms, plan.condition, np.zeros(shares.shape[1]), spread, mentions, WEIGHTS)


def added(query, shares, strength=1 / UNWANTED):
    return evidence_of(query, shares).effects(strength).sum(axis=0)


def test_not_lowers_by_the_square_of_the_share_times_strength():
    assert added("a NOT b", [[1, 1, 1], [1, 0.5, 0]], strength=2 / UNWANTED) == pytest.approx([-1, 0.5, 1])


def test_and_adds_and_not_subtracts():
    assert added("a AND b NOT c NOT d", [[1], [0.5], [1], [0.5]]) == pytest.approx([1.5 - 1 - 0.25])


def test_or_takes_the_best():
    assert added("a OR b", [[0.2, 0], [0.1, 0.3]]) == pytest.approx([0.2, 0.3])


def test_not_within_or_does_not_affect_the_other_part():
    assert added("(a NOT b) OR c", [[1, 1], [1, 0], [0.5, 0.5]]) == pytest.approx([0.5, 1])


def test_not_both_lowers_where_both_are_found():
    assert added("a NOT (b AND c)", [[1, 1], [1, 1], [0.5, 0]]) == pytest.approx([1 - 0.25, 1])


def test_only_unwanted_atoms_lower():
    assert added("NOT a", [[1, 0]]) == pytest.approx([-1, 0])


def test_effects_are_reported_by_atom():
    effects = evidence_of("(a NOT b) OR c", [[1, 1], [1, 0], [0.5, 0.5]]).effects(1 / UNWANTED)
    assert effects == pytest.approx(np.array([[0, 1], [0, 0], [0.5, 0]]))


def test_words_are_on_the_scale_of_the_vectors():
    assert evidence_of("a NOT b", [[1], [1]], spread=0.1).effects(1) == pytest.approx(
        np.array([[0.1], [-0.1 * UNWANTED]])
    )


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


@pytest.mark.parametrize("joined", [" OR ", " AND ", " NOT "])
def test_memory_grows_with_the_atoms_and_not_with_their_square(joined, monkeypatch):
    monkeypatch.setattr(limits, "MOST_ATOMS", 1000)
    shares = np.ones((300, 200))
    found = evidence_of(joined.join(f"a{number}" for number in range(300)), shares)
    tracemalloc.start()
    found.effects(1.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5 * shares.nbytes


def test_a_weight_multiplies_the_effect_of_an_unwanted_atom():
    plan = caller_reading("pasta", {"cheese": 2, "eggs": 1}).plan()
    evidence = evidence_of("", [[0.5], [0.5], [1.0]], plan=plan)
    assert evidence.effects(1 / UNWANTED)[:, 0] == pytest.approx([0.5, -2 * 0.25, -1])
