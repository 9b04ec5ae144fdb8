"""Ranking measures against ir_measures on written files, hand-computed cases and brute force."""

import math
from dataclasses import replace

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RR, P, R, nDCG
from pyroaring import BitMap

from boolattn_lab.benchmarks.measures import (
    RANKING_MEASURES,
    MRecall,
    Ranking,
    pairwise_accuracy,
    per_query,
    qrels,
    right_rank,
    run_entries,
    violation,
    word_lsnc,
)
from boolattn_lab.benchmarks.tasks import RetrievalTask
from boolattn_lab.formats.trec import write_trec_qrels, write_trec_run

DOCUMENTS = st.integers(0, 15)
# Few different scores, so that ties are common.
RANKINGS = st.dictionaries(DOCUMENTS, st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=16).map(
    lambda scores: Ranking(list(scores), list(scores.values()))
)


def top(ranking: Ranking, k: int) -> list[str]:
    """The first k in trec_eval's order: by score, ties by ID, largest first."""
    pairs = zip(ranking.scores, map(str, ranking.documents), strict=True)
    return [document for _, document in sorted(pairs, reverse=True)][:k]


def random_run(rng: np.random.Generator, queries: int) -> dict[str, Ranking]:
    run = {}
    for query in range(queries):
        found = rng.choice(300, size=rng.integers(1, 200), replace=False)
        run[f"q{query}"] = Ranking(found, rng.integers(0, 80, size=len(found)).astype(np.float32) / 1000)
    return run


@pytest.mark.parametrize("seed", range(3))
def test_equals_ir_measures_on_the_written_files(tmp_path, seed):
    rng = np.random.default_rng(seed)
    run = random_run(rng, 40)
    answers = {f"q{query}": BitMap(rng.choice(300, rng.integers(1, 150), replace=False)) for query in range(42)}
    answers |= {f"q{query}": {7: 2, 8: 1, 9: 0, 100: 3} for query in range(5)}
    write_trec_run(tmp_path / "run.txt", run_entries(run, "test"))
    write_trec_qrels(tmp_path / "qrels.txt", qrels(answers))

    measures = [R @ 20, R @ 50, R @ 100, R @ 1000, nDCG @ 10, RR @ 10, AP, P @ 20]
    ours = per_query(measures, run, answers)
    theirs = ir_measures.iter_calc(
        measures,
        ir_measures.read_trec_qrels(str(tmp_path / "qrels.txt")),
        ir_measures.read_trec_run(str(tmp_path / "run.txt")),
    )
    compared = 0
    for metric in theirs:
        assert ours[str(metric.measure)][metric.query_id] == pytest.approx(metric.value, abs=1e-9)
        compared += 1
    assert compared == len(measures) * len(answers)
    assert 0 < ours["nDCG@10"]["q7"] != ours["nDCG@10"]["q8"]


def test_grades_weigh_in_ndcg_and_grade_0_is_no_answer():
    run = {"q": Ranking(["no", "good", "best"], [3, 2, 1])}
    values = per_query([nDCG @ 10, R @ 1, R @ 20], run, {"q": {"best": 3, "good": 1, "no": 0}})
    gain, ideal = 1 / math.log2(3) + 3 / math.log2(4), 3 + 1 / math.log2(3)
    assert values["nDCG@10"]["q"] == pytest.approx(gain / ideal, abs=1e-9)
    assert (values["R@1"]["q"], values["R@20"]["q"]) == (0, 1)


@given(RANKINGS, st.sets(DOCUMENTS, min_size=1), st.integers(1, 12))
def test_recall_precision_and_ndcg_equal_brute_force(ranking, answers, k):
    relevant = [document in set(map(str, answers)) for document in top(ranking, k)]
    gain = sum(hit / math.log2(place + 2) for place, hit in enumerate(relevant))
    ideal = sum(1 / math.log2(place + 2) for place in range(min(k, len(answers))))
    values = per_query([R @ k, P @ k, nDCG @ k], {"q": ranking}, {"q": answers})
    assert values[f"R@{k}"]["q"] == pytest.approx(sum(relevant) / len(answers), abs=1e-9)
    assert values[f"P@{k}"]["q"] == pytest.approx(sum(relevant) / k, abs=1e-9)
    assert values[f"nDCG@{k}"]["q"] == pytest.approx(gain / ideal, abs=1e-9)


@pytest.mark.parametrize(
    ("answers", "found", "expected"),
    [
        ({"a", "b"}, "abxy", 1),  # all of them
        ({"a", "b"}, "xayb", 1),  # all of them, among others
        ({"a", "b"}, "axyz", 0),  # one missing
        ({"a", "b"}, "xyzab", 0),  # one too late
        (set("abcdef"), "abcd", 1),  # more than k, and the top k are answers
        (set("abcdef"), "abxcd", 0),  # more answers than k, and one of the top k is not an answer
        (set("abcdef"), "abc", 0),  # more than k, and fewer than k found
        (set("abcd"), "dcba", 1),  # just k
    ],
)
def test_mrecall_by_hand(answers, found, expected):
    ranking = Ranking(list(found), list(range(len(found), 0, -1)))
    assert per_query([MRecall @ 4], {"q": ranking}, {"q": answers}) == {"MRecall@4": {"q": expected}}


@given(RANKINGS, st.sets(DOCUMENTS, min_size=1), st.integers(1, 12))
def test_mrecall_equals_brute_force(ranking, answers, k):
    found = set(top(ranking, k)) & set(map(str, answers))
    values = per_query([MRecall @ k], {"q": ranking}, {"q": answers})
    assert values[f"MRecall@{k}"]["q"] == (len(found) >= min(k, len(answers)))


def test_violation_by_hand():
    run = {
        "films not horror": Ranking(["psycho", "heat", "alien", "up"], [4.0, 3.0, 2.0, 1.0]),
        "short": Ranking(["alien"], [1.0]),
        "plain": Ranking(["alien"], [1.0]),
    }
    answers = {query: {"heat"} for query in run}
    negated = {"films not horror": {"psycho", "alien", "jaws"}, "short": {"alien"}}
    values = per_query([violation @ 2, violation @ 4, P @ 2], run, answers, negated)
    assert values["violation@2"] == {"films not horror": 0.5, "short": 0.5}
    assert values["violation@4"] == {"films not horror": 0.5, "short": 0.25}
    assert values["P@2"] == {"films not horror": 0.5, "short": 0, "plain": 0}


@given(RANKINGS, st.sets(DOCUMENTS), st.integers(1, 12))
def test_violation_equals_brute_force(ranking, excluded, k):
    values = per_query([violation @ k], {"q": ranking}, {"q": {99}}, {"q": BitMap(excluded)})
    expected = sum(document in map(str, excluded) for document in top(ranking, k)) / k
    assert values[f"violation@{k}"]["q"] == pytest.approx(expected, abs=1e-9)


def test_ties_go_to_the_greater_identifier_except_in_rr():
    run = {"q": Ranking(["a", "b"], [1.0, 1.0])}
    values = per_query([P @ 1, MRecall @ 1, RR @ 10], run, {"q": ["b"]})
    assert values == {"P@1": {"q": 1}, "MRecall@1": {"q": 1}, "RR@10": {"q": 0.5}}


def test_a_query_without_a_ranking_counts_as_nothing_found():
    values = per_query(RANKING_MEASURES, {}, {"q": {"a"}})
    assert values == {str(measure): {"q": 0} for measure in RANKING_MEASURES}


def test_mistakes_are_named():
    run = {"q": Ranking(["a", "a"], [2.0, 1.0])}
    with pytest.raises(ValueError, match="'q' contains a document twice"):
        per_query([R @ 20], run, {"q": {"a"}})
    with pytest.raises(ValueError, match="no answers, such as 'q'"):
        per_query([R @ 20], run, {"q": BitMap()})
    with pytest.raises(ValueError, match="pass negated="):
        per_query([violation @ 20], run, {"q": {"a"}})


def test_right_rank():
    run = {
        "above": Ranking(["bad", "good"], [0.1, 0.2]),
        "below": Ranking(["bad", "good"], [0.2, 0.1]),
        "equal": Ranking(["bad", "good"], [0.2, 0.2]),
        "only the wanted": Ranking(["good"], [-5.0]),
        "only the excluded": Ranking(["bad"], [-5.0]),
        "neither": Ranking(["else"], [1.0]),
    }
    right = right_rank(run, dict.fromkeys(run, ("good", "bad")))
    assert [query for query, value in right.items() if value] == ["above", "only the wanted"]
    assert set(right) == set(run)


def test_pairwise_accuracy_requires_both_queries():
    right = {"1a": 1.0, "1b": 1.0, "2a": 1.0, "2b": 0.0, "3a": 0.0, "3b": 0.0}
    rows = {"1": ("1a", "1b"), "2": ("2a", "2b"), "3": ("3a", "3b")}
    assert pairwise_accuracy(right, rows) == {"1": 1, "2": 0, "3": 0}


@pytest.mark.parametrize(("violating", "value"), [(0, 1.0), (1, 1 - math.log(2) / math.log(5)), (4, 0.0)])
def test_word_lsnc_falls_with_the_violations_in_the_top_k(violating, value):
    run = {"q": Ranking(list("abcdxyz"), [7, 6, 5, 4, 3, 2, 1])}
    negated = {"q": {*"abcd"[:violating], "x", "y"}}
    assert per_query([word_lsnc @ 4], run, {"q": {"z"}}, negated)["wordLSNC@4"]["q"] == pytest.approx(value)


def test_word_lsnc_needs_to_know_what_is_excluded():
    with pytest.raises(ValueError, match="wordLSNC needs the excluded documents"):
        per_query([word_lsnc @ 4], {}, {"q": {"z"}})


def test_undecided_documents_leave_no_gap_in_a_ranking():
    task = RetrievalTask(
        "t",
        {"q": "soup without onions"},
        lambda: iter(()),
        {"q": {"right"}},
        [P @ 2, violation @ 2],
        negated={"q": {"wrong"}},
        undecided={"q": {"open"}},
    )
    found = task.values({"q": Ranking(["open", "wrong", "right", "other"], [4, 3, 2, 1])})
    assert found == {"P@2": {"q": 0.5}, "violation@2": {"q": 0.5}}
    decided = replace(task, undecided={}).values({"q": Ranking(["open", "wrong", "right", "other"], [4, 3, 2, 1])})
    assert decided["P@2"] == {"q": 0.0}
