import pytest

from boolattn.reading.caller import caller_reading
from boolattn.reading.limits import LONGEST_EXCLUDED, MOST_EXCLUDED

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
def test_words_missing_from_the_query_are_an_error(text):
    with pytest.raises(ValueError, match=f"exclude names '{text}', which is not in the query"):
        caller_reading(QUERY, [text])


def test_an_empty_text_and_a_text_in_the_place_of_a_list_are_errors():
    with pytest.raises(ValueError, match="an empty text"):
        caller_reading(QUERY, [" "])
    with pytest.raises(TypeError, match=r"write exclude=\['war'\]"):
        caller_reading(QUERY, "war")


def test_the_words_to_exclude_are_limited_in_number_and_length():
    assert (MOST_EXCLUDED, LONGEST_EXCLUDED) == (32, 200)
    query = "films without " + "a" * 200 + " and " + "b" * 201
    assert len(caller_reading(query, ["a" * 200] * 32).exclusions) == 1
    with pytest.raises(ValueError, match=r"exclude has 33 texts.* at most 32"):
        caller_reading(query, ["films"] * 33)
    with pytest.raises(ValueError, match=r"exclude contains a text of 201 characters.* at most 200"):
        caller_reading(query, ["b" * 201])
