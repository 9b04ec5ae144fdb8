"""Rows and filters that do not fit are refused, and the message says why."""

import math
from dataclasses import replace

import pytest

from boolattn.retrieval.index.checking import check_filters, check_rows
from boolattn.retrieval.index.protocol import Filter
from tests.retrieval.index.films import DESCRIPTION, GENRE, RATING, SEEN, YEAR, films

BAD_VALUES = [
    (YEAR, True),
    (YEAR, 1.0),
    (YEAR, "1990"),
    (YEAR, 2**63),
    (YEAR, -(2**63)),
    (RATING, math.nan),
    (RATING, math.inf),
    (RATING, False),
    (GENRE, 3),
    (SEEN, 1),
    ("unknown", 1),
]


@pytest.mark.parametrize(("name", "value"), BAD_VALUES)
def test_values_of_another_kind(name, value):
    with pytest.raises(ValueError, match="document 'b' has"):
        check_rows(films(["a", "b"], metadata=[{}, {name: value}]), DESCRIPTION)


def test_values_that_fit():
    fields = {YEAR: 2**63 - 1, RATING: 3, GENRE: "", SEEN: False}
    check_rows(films(["a", "b"], metadata=[fields, {}]), DESCRIPTION)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Filter("colour", "=", "red"), "has: .*year"),
        (Filter(YEAR, ">= 0 OR 1 =", 1), "comparisons are"),
        (Filter(YEAR, "in", 1990), "tuple"),
        (Filter(YEAR, "=", (1990,)), "tuple"),
        (Filter(YEAR, "=", "1990"), "'integer'"),
        (Filter(YEAR, ">", 1990.5), "'integer'"),
        (Filter(GENRE, "in", ("war", 3)), "'text'"),
        (Filter(SEEN, "<", True), "no order"),
        (Filter(SEEN, "=", 1), "'boolean'"),
        (Filter(RATING, ">", math.nan), "'number'"),
    ],
)
def test_invalid_filters_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        check_filters([given], DESCRIPTION)


def test_too_many_filters():
    check_filters([Filter(YEAR, "=", 1990)] * 20, DESCRIPTION)
    check_filters([Filter(YEAR, "in", tuple(range(5000)))], DESCRIPTION)
    for many in ([Filter(YEAR, "=", 1990)] * 21, [Filter(YEAR, "in", tuple(range(5001)))]):
        with pytest.raises(ValueError, match="at most 20 filters with 5000 values"):
            check_filters(many, DESCRIPTION)


def test_names_of_fields_are_shown_as_literals():
    odd = replace(DESCRIPTION, metadata={"red\x1b[31m\u2028": "text"})
    with pytest.raises(ValueError, match=r"this index has: 'red\\x1b\[31m\\u2028'$"):
        check_filters([Filter("colour", "=", "red")], odd)
