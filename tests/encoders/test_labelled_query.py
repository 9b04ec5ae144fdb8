import pytest

from boolattn.encoders.labelled_query import LabelledQuery
from boolattn.reading.spans import Span
from boolattn.reading.understanding import Excluded


def test_a_labelled_query_is_its_text():
    query = LabelledQuery.of("films without war", ["not", "and"], Excluded((Span(6, 13),), (Span(14, 17),)))
    assert query == "films without war" and len(query) == 17
    assert query.operators == {"and", "not"}
    assert [span.of(query) for span in query.excluded.scopes] == ["war"]


def test_a_lone_name_is_a_set_of_one_and_what_is_excluded_may_be_left_to_the_model():
    query = LabelledQuery.of("films without war", "not")
    assert query.operators == {"not"} and query.excluded is None


def test_operators_nobody_knows_are_named():
    with pytest.raises(ValueError, match=r"unknown operators \['nor'\].*known are"):
        LabelledQuery.of("films", ["nor"])
