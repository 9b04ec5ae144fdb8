import pytest

from boolattn.encoders.readers.labelled_query import LabelledQuery
from boolattn.reading.caller import caller_reading


def test_a_labelled_query_is_its_text():
    query = LabelledQuery.of("films without war", ["not", "and"], caller_reading("films without war", ["war"]))
    assert query == "films without war" and len(query) == 17
    assert query.operators == {"and", "not"}
    assert [each.span.of(query) for each in query.reading.exclusions] == ["war"]


def test_a_lone_name_is_a_set_of_one_and_what_is_excluded_may_be_left_to_the_model():
    query = LabelledQuery.of("films without war", "not")
    assert query.operators == {"not"} and query.reading is None


def test_operators_nobody_knows_are_named():
    with pytest.raises(ValueError, match=r"unknown operators \['nor'\].*known are"):
        LabelledQuery.of("films", ["nor"])
