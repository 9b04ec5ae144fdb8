"""Gate, cue and scope measures, by hand."""

import numpy as np
import pytest

from boolattn_lab.benchmarks.labels import TokenCounts, gate_hits


def labels(*rows: str) -> np.ndarray:
    """Rows such as "a-n": whether and, or, not are there."""
    return np.array([[mark != "-" for mark in row] for row in rows]).reshape(-1, 3)


def test_gate_is_judged_per_operator_and_as_a_set():
    hits = gate_hits(["q1", "q2", "q3"], labels("a-n", "---", "-o-"), labels("a--", "---", "-o-"))
    assert hits == {
        "exact": {"q1": 0, "q2": 1, "q3": 1},
        "gate(and)": {"q1": 1, "q2": 1, "q3": 1},
        "gate(or)": {"q1": 1, "q2": 1, "q3": 1},
        "gate(not)": {"q1": 0, "q2": 1, "q3": 1},
    }


def test_token_scores_are_summed_over_tokens_not_averaged_over_queries():
    gold = [labels("--n", "--n", "--n", "---"), labels("--n", "a--")]
    predicted = [labels("--n", "--n", "---", "--n"), labels("---", "a--")]
    scores = TokenCounts.of(gold, predicted).scores("scope")
    # not: 2 right of 3 predicted and 4 gold; and: 1 of 1 and 1.
    assert scores == pytest.approx(
        {
            "scope-P(not)": 2 / 3,
            "scope-R(not)": 2 / 4,
            "scope-F1(not)": 4 / 7,
            "scope-P(and)": 1,
            "scope-R(and)": 1,
            "scope-F1(and)": 1,
            "scope-P": 3 / 4,
            "scope-R": 3 / 5,
            "scope-F1": 6 / 9,
        }
    )


def test_padding_changes_nothing():
    gold, predicted = labels("--n", "-o-"), labels("--n", "a--")
    padded = [np.vstack([each, labels("---", "---")])[None] for each in (gold, predicted)]
    assert TokenCounts.of(*padded).scores("cue") == TokenCounts.of([gold], [predicted]).scores("cue")


def test_some_queries_can_be_chosen():
    counts = TokenCounts.of([labels("--n"), labels("--n")], [labels("--n"), labels("---")])
    assert counts.scores("cue")["cue-F1"] == pytest.approx(2 / 3)
    assert counts.where(np.array([False, True])).scores("cue")["cue-F1"] == 0


def test_labels_without_any_positive_have_no_score():
    assert TokenCounts.of([labels("---")], [labels("---")]).scores("cue") == {}
    assert TokenCounts.of([], []).scores("cue") == {}


def test_missing_predictions_score_nothing_and_false_ones_too():
    assert TokenCounts.of([labels("--n")], [labels("---")]).scores("cue")["cue-P(not)"] == 0
    assert TokenCounts.of([labels("---")], [labels("--n")]).scores("cue")["cue-F1(not)"] == 0


def test_shapes_must_agree():
    with pytest.raises(ValueError, match="one column for each of and, or, not"):
        gate_hits(["q"], np.ones((1, 2), dtype=bool), np.ones((1, 2), dtype=bool))
    with pytest.raises(ValueError, match="same shape"):
        TokenCounts.of([labels("---")], [labels("---", "---")])
