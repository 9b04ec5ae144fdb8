"""Wrong answers of a searching process are noticed."""

import json

import numpy as np
import pytest

from boolattn_lab.costs.failure_drills.searching import HITS, State, judge
from tests.retrieval.index.films import films

IDS = [str(number) for number in range(40)]
QUERY = np.array([[1.0, 0, 0, 0]], np.float32)
BEFORE = State.of(films(IDS, seed=1), QUERY)
AFTER = State.of(films([*IDS[:20], *"abc"], seed=2), QUERY)


def best(state):
    """Return the right answer in a state."""
    order = (-state.scores[0]).argsort()[:HITS]
    columns = (state.rows.ids, state.scores[0].tolist(), state.rows.titles, state.rows.texts)
    return [[column[place] for column in columns] for place in order]


def judged(tmp_path, *answers, states=(BEFORE, AFTER), may_be_missing=False):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps({"query": 0} | each) + "\n" for each in answers) + '{"query": 0, "hi')
    found = judge(path, states, may_be_missing, may_be_incomplete=False)
    assert (
        found.answers == len(answers)
        and found.wrong <= len(found.problems)
        and bool(found.wrong) == bool(found.problems)
    )
    return found.problems


def test_the_answers_of_both_states_are_right(tmp_path):
    assert judged(tmp_path, {"hits": best(BEFORE)}, {"hits": best(AFTER)}) == []
    assert judged(tmp_path, {"hits": best(BEFORE)}, states=[BEFORE]) == []
    assert judged(tmp_path, {"missing": True}, may_be_missing=True) == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda hits: hits[:-1], "9 hits of 10"),
        (lambda hits: [*hits[:-1], hits[0]], "twice"),
        (lambda hits: [[hits[0][0], 0.123, *hits[0][2:]], *hits[1:]], "with score 0.123"),
        (lambda hits: [[*hits[0][:3], "another"], *hits[1:]], "another text"),
        (lambda hits: [["unknown", *hits[0][1:]], *hits[1:]], "unknown"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(tmp_path, change, says):
    assert any(says in problem for problem in judged(tmp_path, {"hits": change(best(BEFORE))}))


def test_a_document_that_is_passed_over_is_noticed(tmp_path):
    order = (-BEFORE.scores[0]).argsort()[1 : HITS + 1]  # without the nearest
    hits = [
        [BEFORE.rows.ids[n], float(BEFORE.scores[0, n]), BEFORE.rows.titles[n], BEFORE.rows.texts[n]] for n in order
    ]
    [problem] = judged(tmp_path, {"hits": hits}, states=[BEFORE])
    assert "is nearer than a hit" in problem


@pytest.mark.parametrize(
    ("change", "wrong", "incomplete"),
    [(lambda hits: hits, 0, 0), (lambda hits: hits[:-1], 0, 1), (lambda hits: [*hits[:-1], hits[0]], 1, 0)],
)
def test_incomplete_answers_can_be_counted_apart(tmp_path, change, wrong, incomplete):
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"query": 0, "hits": change(best(BEFORE))}))
    found = judge(path, [BEFORE], may_be_missing=False, may_be_incomplete=True)
    assert (found.wrong, found.incomplete) == (wrong, incomplete)


def test_an_answer_of_the_former_state_is_wrong_once_that_is_over(tmp_path):
    assert judged(tmp_path, {"hits": best(BEFORE)}, states=[AFTER])


def test_a_missing_index_and_errors_are_problems(tmp_path):
    assert judged(tmp_path, {"missing": True}, {"error": "OSError: gone"}) == [
        "the index was missing",
        "OSError: gone",
    ]
