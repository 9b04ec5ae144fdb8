import pytest

from boolattn.backbones.labelled_query import LabelledQuery
from boolattn.reading.caller import caller_reading


def test_a_labelled_query_is_its_text():
    query = LabelledQuery.of("films without war", ["not", "and"], caller_reading("films without war", ["war"]))
    assert query == "films without war" and len(query) == 17
    assert query.operators == {"and", "not"}
    assert [each.span.of(query) for each in query.reading.exclusions] == ["war"]


def test_a_single_name_is_a_set_of_one_and_exclusions_are_optional():
    query = LabelledQuery.of("films without war", "not")
    assert query.operators == {"not"} and query.reading is None


def test_unknown_operators_are_named():
    with pytest.raises(ValueError, match=r"unknown operators \['nor'\].*use"):
        LabelledQuery.of("films", ["nor"])
