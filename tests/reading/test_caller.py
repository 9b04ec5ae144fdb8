import json

import numpy as np
import pytest

from boolattn.reading.caller import caller_reading
from boolattn.reading.limits import HIGHEST_WEIGHT, LONGEST_EXCLUDED, MOST_EXCLUDED
from boolattn.reading.options import ReadingOptions
from boolattn.reading.spans import Span

QUERY = "movies set in Vietnam but not about War"


def excluded(query, exclude):
    return [each.span.of(query) for each in caller_reading(query, exclude).exclusions]


def test_the_caller_names_words_of_the_query_in_any_case():
    reading = caller_reading(QUERY, ["war"])
    assert excluded(QUERY, ["war"]) == ["War"]
    assert [cue.of(QUERY) for cue in reading.cues["not"]] == ["but not"]
    assert (reading.operators, reading.source, reading.reader) == ({"not"}, "caller", "caller")
    assert (reading.exclusions[0].kind, reading.exclusions[0].confidence) == ("topic", 1.0)
    assert str(reading.plan()) == "movies set in Vietnam NOT War"


def test_exclusions_come_in_the_order_of_the_text():
    assert excluded("cakes, no eggs, no dried  milk", ["dried milk", "eggs"]) == ["eggs", "dried  milk"]


def test_the_place_after_a_negation_is_taken_before_the_first():
    query = "war films but not about war crimes"
    assert caller_reading(query, ["war"]).exclusions[0].span == (24, 27)
    assert caller_reading("war and war", ["war"]).exclusions[0].span == (0, 3)


def test_an_empty_list_excludes_nothing():
    reading = caller_reading(QUERY, [])
    assert (reading.operators, reading.exclusions, reading.source) == (frozenset(), (), "caller")


@pytest.mark.parametrize("text", ["love", "Viet", "about the war"])
def test_words_that_are_not_in_the_query_are_excluded_too(text):
    reading = caller_reading(QUERY, [text])
    [exclusion] = reading.exclusions
    assert (exclusion.text, exclusion.span, exclusion.kind, exclusion.confidence) == (text, None, "topic", 1.0)
    assert (reading.operators, reading.scopes["not"], reading.cues["not"]) == ({"not"}, (), ())
    plan = reading.plan()
    assert [(atom.text, atom.span, atom.sign) for atom in plan.atoms] == [(QUERY, Span(0, 39), 1), (text, None, -1)]
    assert str(caller_reading("pasta", [text]).plan()) == f"pasta NOT {text}"


def test_words_of_the_query_come_before_others_in_the_order_of_the_text():
    reading = caller_reading("pasta recipes, no eggs", ["blue  cheese", "Eggs", "nuts"])
    assert [(each.text, each.span) for each in reading.exclusions] == [
        ("eggs", (18, 22)), ("blue cheese", None), ("nuts", None)
    ]  # fmt: skip
    assert str(reading.plan()) == "pasta recipes NOT eggs NOT blue cheese NOT nuts"
    assert [atom.text for atom in reading.plan().negatives] == ["eggs", "blue cheese", "nuts"]


def test_alternatives_stay_alternatives():
    assert str(caller_reading("", ["cheese"]).plan()) == "NOT cheese"
    assert str(caller_reading("war", ["war", "love"]).plan()) == "NOT war NOT love"
    [reading] = ReadingOptions(reader="rules").read(["cats or dogs"], ["poodles"])
    assert str(reading.plan()) == "cats or dogs NOT poodles"


def test_the_same_words_count_once_with_their_highest_weight():
    assert len(caller_reading(QUERY, ["love", " LOVE", "war", "War"]).exclusions) == 2
    found = caller_reading(QUERY, {"love": 0.5, "Love": 2, "WAR": 3, "war": 1}).exclusions
    assert [(each.text, each.weight) for each in found] == [("War", 3.0), ("Love", 2.0)]


def test_weights_are_kept_by_exclusions_and_atoms():
    query = "cakes, no eggs, no milk"
    reading = caller_reading(query, {"eggs": 2, "milk": 1, "nuts": 0.5})
    expected = [("eggs", 2.0), ("milk", 1.0), ("nuts", 0.5)]
    assert [(each.text, each.weight) for each in reading.exclusions] == expected
    assert [(atom.text, atom.weight) for atom in reading.plan().negatives] == expected
    assert all(atom.weight == 1 for atom in reading.plan().positives)
    assert caller_reading(query, {"eggs": 1}) == caller_reading(query, ["eggs"])


def test_json_has_the_words_the_place_and_the_weight():
    reading = caller_reading("pasta with eggs", {"eggs": 1, "cheese": 2})
    found = json.loads(json.dumps(reading.to_dict()))
    sure = {"kind": "topic", "confidence": 1.0}
    assert found["exclusions"] == [
        {"text": "eggs", "span": [11, 15]} | sure, {"text": "cheese", "span": None, "weight": 2.0} | sure
    ]  # fmt: skip
    assert (found["operators"], found["scopes"]) == (["not"], {"not": [[11, 15]]})
    atoms = json.loads(json.dumps(reading.plan().to_dict()))["condition"]["all_of"]
    assert atoms == [
        {"text": "pasta with", "span": [0, 10], "sign": 1},
        {"text": "eggs", "span": [11, 15], "sign": -1},
        {"text": "cheese", "span": None, "sign": -1, "weight": 2.0},
    ]


@pytest.mark.parametrize("weight", [0, -1, 10.5, float("nan"), float("inf"), "2", None, True])
def test_a_weight_that_is_no_number_from_0_to_10_is_an_error(weight):
    assert HIGHEST_WEIGHT == 10
    with pytest.raises(ValueError, match=r"the weight of 'cheese' is .*: use a number above 0, up to 10"):
        caller_reading("pasta", {"cheese": weight})
    assert caller_reading("pasta", {"cheese": np.float32(10)}).exclusions[0].weight == 10


def test_what_is_kept_of_a_reading_keeps_the_words_that_are_not_in_the_query():
    reading = caller_reading("cakes, no eggs", ["eggs", "nuts"])
    eggs, nuts = reading.exclusions
    assert str(reading.keeping([nuts]).plan()) == "cakes, no eggs NOT nuts"
    assert str(reading.keeping([eggs]).plan()) == "cakes NOT eggs"
    decided = ReadingOptions().decided(caller_reading("cakes", ["nuts", "\N{PARTY POPPER}"]))
    assert [each.text for each in decided.applied] == ["nuts"]
    assert decided.remarks == ['Not applied: "\N{PARTY POPPER}": it has no words.']
    assert ReadingOptions(act=False).decided(reading).applied == ()


def test_queries_of_a_batch_may_use_different_forms():
    options = ReadingOptions(reader="rules")
    queries = ["pasta", "cakes", "films without war", "soup"]
    readings = options.read(queries, [["cheese"], {"nuts": 2}, None, []])
    assert [[(each.text, each.weight) for each in reading.exclusions] for reading in readings] == [
        [("cheese", 1.0)], [("nuts", 2.0)], [("war", 1.0)], []
    ]  # fmt: skip
    for form in ({"nuts": 2}, [{"nuts": 2}]):
        assert [each.weight for each in options.read(["cakes"], form)[0].exclusions] == [2.0]
    assert options.read(["cakes", "soup"], {})[0].exclusions == ()
    with pytest.raises(ValueError, match="one list of words per query"):
        options.read(["cakes", "soup"], {"nuts": 2})


def test_an_empty_text_and_a_text_in_the_place_of_a_list_are_errors():
    with pytest.raises(ValueError, match="an empty text"):
        caller_reading(QUERY, [" "])
    with pytest.raises(ValueError, match="a text in exclude is not valid Unicode"):
        caller_reading(QUERY, ["love \ud800"])
    with pytest.raises(TypeError, match=r"write exclude=\['war'\]"):
        caller_reading(QUERY, "war")


def test_the_words_to_exclude_are_limited_in_number_and_length():
    assert (MOST_EXCLUDED, LONGEST_EXCLUDED) == (32, 200)
    query = "films without " + "a" * 200 + " and " + "b" * 201
    assert len(caller_reading(query, ["a" * 200] * 32).exclusions) == 1
    others = [f"w{number}" for number in range(32)]
    assert len(ReadingOptions().read(["films"], others)[0].plan().negatives) == 32
    with pytest.raises(ValueError, match=r"exclude has 33 texts"):
        caller_reading("films", dict.fromkeys([*others, "w32"], 2))
    with pytest.raises(ValueError, match=r"exclude has 33 texts.* at most 32"):
        caller_reading(query, ["films"] * 33)
    with pytest.raises(ValueError, match=r"exclude contains a text of 201 characters.* at most 200"):
        caller_reading(query, ["b" * 201])
