import tracemalloc

import numpy as np
import pytest

import boolattn
from boolattn.plans.candidate_scores import WEIGHTS, Evidence
from boolattn.plans.rerank import Ranked, rerank
from boolattn.reading.syntax import parse

SOUPS = ["Onion soup", "Carrot soup", "Soup without onions", "Eggplant soup", "Chocolate cake"]


def places(*arguments, **options):
    return [hit.place for hit in rerank(*arguments, **options)]


def what(hit):
    return {atom.text: atom.found for atom in hit.atoms}


def test_an_exclusion_ranks_lower_and_its_denial_higher():
    hits = rerank("soup without onions", SOUPS, documents="things", reader="rules")
    assert [hit.place for hit in hits] == [2, 1, 3, 0, 4]
    assert what(hits[0]) == {"soup": "found", "onions": "negated mention"}
    assert what(hits[-2]) == {"soup": "found", "onions": "found"}
    assert [np.sign(atom.effect) for atom in hits[-2].atoms] == [1, -1]


def test_and_or_are_acted_on_without_an_exclusion():
    texts = ["peas", "rice", "peas and rice", "corn"]
    assert places("peas AND rice", texts, syntax=True, documents="things")[0] == 2
    assert places("corn OR rice", texts, syntax=True, documents="things")[:2] == [1, 2]


@pytest.mark.parametrize("scores", [None, [1, 5, 3, 2, 2]])
def test_a_query_without_operators_changes_nothing(scores):
    hits = rerank("onion soup", SOUPS, scores=scores)
    assert [hit.place for hit in hits] == [0, 1, 2, 3, 4] and not any(hit.atoms for hit in hits)
    assert [hit.score for hit in hits] == (scores or [1, 0.8, 0.6, 0.4, 0.2])


def test_a_reading_that_is_not_acted_on_changes_nothing():
    reading = boolattn.read("films that are not long", reader="rules")
    assert not reading.applied and reading.exclusions
    assert places(reading, ["long films", "films"]) == [0, 1]


def test_scores_of_any_scale_give_the_same_order():
    scores = np.array([0.9, 0.8, 0.3, 0.2, 0.1])
    orders = {tuple(places("soup", SOUPS, exclude=["onions"], scores=scale * scores - 7)) for scale in (1e-6, 1, 1e6)}
    assert len(orders) == 1


def test_with_equal_scores_words_alone_decide():
    assert places("soup", SOUPS, exclude=["onions"], scores=[0] * 5, documents="things") == [2, 1, 3, 4, 0]


def test_the_score_is_the_first_score_and_the_effects():
    for hit in rerank("soup", SOUPS, exclude={"onions": 2}, scores=[5, 4, 3, 2, 1]):
        assert hit.score == pytest.approx(5 - hit.place + sum(atom.effect for atom in hit.atoms))
    [onion] = [hit for hit in rerank("soup", SOUPS, exclude={"onions": 2}, scores=[5, 4, 3, 2, 1]) if hit.place == 0]
    assert onion.atoms[1].effect == pytest.approx(-2 * WEIGHTS["pages"].unwanted * 4)


def test_strength_zero_ignores_what_is_unwanted():
    assert all(hit.atoms[1].effect == 0 for hit in rerank("soup", SOUPS, exclude=["onions"], strength=0))


def test_drop_removes_what_contains_the_exclusion_and_counts_it():
    hits = rerank("soup", SOUPS, exclude=["onions"], drop=True)
    assert {hit.place for hit in hits} == {1, 2, 3, 4} and hits.dropped == 1
    assert rerank("soup", SOUPS, exclude=["onions"]).dropped == 0


def test_everything_dropped_is_told_from_nothing_given():
    hits = rerank("soup", SOUPS[:1], exclude=["onions"], drop=True)
    assert not hits and hits.dropped == 1
    empty = rerank("soup", [], exclude=["onions"], drop=True)
    assert not empty and empty.dropped == 0


def test_drop_keeps_what_another_alternative_allows():
    texts = ["cake with nuts", "soup", "soup with nuts", "pie"]
    hits = rerank("(cake NOT nuts) OR soup", texts, syntax=True, drop=True)
    assert {hit.place for hit in hits} >= {1, 2, 3}
    hits = rerank("cake NOT nuts", texts, syntax=True, drop=True)
    assert {hit.place for hit in hits} == {1, 3} and hits.dropped == 2
    hits = rerank("cake NOT (nuts AND soup)", texts, syntax=True, drop=True)
    assert hits.dropped == 1


def test_drop_never_removes_for_a_wanted_word():
    assert rerank("onions AND soup", ["no onions", "no soup"], syntax=True, drop=True).dropped == 0


def test_alternatives_that_repeat_an_atom_keep_its_effect():
    plan = boolattn.read("cookies AND nuts OR cookies AND figs", syntax=True).plan()
    same = {atom.text: atom for atom in plan.atoms}
    repeated = type(plan.condition)(
        tuple(type(part)(tuple(same[atom.text] for atom in part.parts)) for part in plan.condition.parts)
    )
    again = type(plan)(plan.query, repeated, 1.0, "syntax", "")
    evidence = Evidence.of(again, ["cookies with figs", "tea"], np.array([1.0, 0.0]), documents="things")
    assert evidence.effects(1.0).sum(axis=0) == pytest.approx([2, 0])


def test_nested_plans():
    query = "soup"
    for number in range(15):
        query = f"(({query}) OR w{number}) NOT v{number}"
    assert places(query, ["cake", "w3", "soup", "v14 soup"], syntax=True, documents="things")[:2] == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "told"),
    [
        (("soup", "a text"), {}, TypeError, "write [text]"),
        (("soup", None), {}, TypeError, "list of texts, not NoneType"),
        (("soup", ["a", None]), {}, TypeError, "texts[1] is NoneType, not a text: use ''"),
        ((None, ["a"]), {}, TypeError, "query must be a text or a Reading"),
        (("soup", ["a"]), {"scores": [1, 2]}, ValueError, "1 texts, but scores has the shape (2,)"),
        (("soup", ["a", "b"]), {"scores": [1, float("nan")]}, ValueError, "scores[1] is nan"),
        (("soup", ["a", "b"]), {"scores": [float("inf"), 1]}, ValueError, "scores[0] is inf"),
        (("soup", ["a"]), {"scores": ["high"]}, TypeError, "scores must be numbers"),
        (("soup", ["a"]), {"strength": -1}, ValueError, "strength is -1"),
        (("soup", ["a"]), {"strength": float("nan")}, ValueError, "strength is nan"),
        (("soup", ["a"]), {"documents": "films"}, ValueError, "documents is 'films'"),
        (("soup", ["a"]), {"exclude": "war"}, TypeError, "exclude=['war']"),
        ((boolattn.read("soup", reader="rules"), ["a"]), {"exclude": ["war"]}, ValueError, "has been read"),
    ],
)
def test_wrong_arguments_say_what_to_do(arguments, options, error, told):
    with pytest.raises(error) as raised:
        rerank(*arguments, **options)
    assert told in str(raised.value)


def test_no_texts():
    assert rerank("soup without onions", []) == []


def test_thousands_of_huge_texts_need_little_memory():
    text = "onion " + "soup and other words " * 50_000  # 1 MB, the same object for all
    tracemalloc.start()
    hits = rerank("soup", [text] * 1000 + ["soup"], exclude=["onions"], drop=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [hit.place for hit in hits] == [1000] and hits.dropped == 1000
    assert peak < 100e6


def test_public_names():
    assert boolattn.rerank is rerank and boolattn.Ranked is Ranked
    assert parse("a NOT b") is not None
