"""``--where year>=1990``: what is written, what it means, and that nothing takes long to refuse."""

import re
import time
from contextlib import suppress
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolattn.retrieval.index.protocol import Filter, IndexDescription
from boolattn.retrieval.search.filter_syntax import filter_of, split_filter

FIELDS = {"year": "integer", "rating": "number", "language": "text", "shot on film": "boolean", "genre": "text"}
FILMS = IndexDescription("f", "m", 3, "cosine", FIELDS)
LONGEST = 60_000
SIGNS = " \t\n=<>!'\"aé"
# What defines the syntax. It takes time that grows with the square of the text or faster, so only short texts ask it.
DEFINITION = re.compile(r"\s*(?P<name>.+?)\s*(?P<comparison>!=|<=|>=|=|<|>)\s*(?P<value>.*?)\s*", re.DOTALL)


@pytest.mark.parametrize(
    ("written", "parsed"),
    [
        ("year>=1990", Filter("year", ">=", 1990)),
        ("year <= -5", Filter("year", "<=", -5)),
        ("rating<7.5", Filter("rating", "<", 7.5)),
        ("rating>7", Filter("rating", ">", 7.0)),
        (" language = French ", Filter("language", "=", "French")),
        ("language!=French", Filter("language", "!=", "French")),
        ("\tlanguage\n=\r\nFrench\u2003", Filter("language", "=", "French")),
        ("genre=film noir", Filter("genre", "=", "film noir")),
        ("genre=a <= b != c", Filter("genre", "=", "a <= b != c")),
        ("genre==", Filter("genre", "=", "=")),
        ("genre=<", Filter("genre", "=", "<")),
        ("genre=", Filter("genre", "=", "")),
        ("genre =  ", Filter("genre", "=", "")),
        ('genre="war"', Filter("genre", "=", '"war"')),
        ("shot on film=TRUE", Filter("shot on film", "=", True)),
        (" shot on film != false", Filter("shot on film", "!=", False)),
    ],
)
def test_valid_filters(written, parsed):
    found = filter_of(written, FILMS)
    assert found == parsed and type(found.value) is type(parsed.value)


@pytest.mark.parametrize("written", ["", " ", "year", "=", "=1990", " = 1990", "year 1990", "a" + " " * 40])
def test_what_is_not_a_filter_is_refused(written):
    with pytest.raises(ValueError, match="is not a filter: write a field"):
        filter_of(written, FILMS)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("colour=red", "no field 'colour'.*'genre', 'language'"),
        ("year=red", "'year' is of type integer, which 'red' is not"),
        ("year=1990.5", "'year' is of type integer"),
        ("shot on film=maybe", "'shot on film' is of type boolean"),
    ],
)
def test_a_filter_that_does_not_fit_the_index_is_refused(written, says):
    with pytest.raises(ValueError, match=says):
        filter_of(written, FILMS)


@given(st.text(SIGNS, max_size=14))
def test_every_text_is_split_as_defined(text):
    defined = DEFINITION.fullmatch(text)
    if defined is None or not defined["name"].strip():  # a field needs a name
        with pytest.raises(ValueError, match="is not a filter"):
            split_filter(text)
    else:
        assert split_filter(text) == defined.groups()


@pytest.mark.parametrize(
    "part",
    [" ", "=", "<", "!", "'", '"', "\n", " a", " =", "= ", "a =", "!=", "! ", "<=>", " \t", "'\"", "\u2003", "9"],
)
def test_a_long_text_is_parsed_at_once(part):
    for before, after in product(("", "a", "a=", "year>="), ("", "b", "\n", "=", " =1")):
        _require_quick(before + part * (LONGEST // len(part)) + after)


@given(st.text(SIGNS, min_size=1, max_size=12), st.text(SIGNS, max_size=3), st.text(SIGNS, max_size=3))
def test_any_long_text_is_parsed_at_once(part, before, after):
    _require_quick(before + part * (LONGEST // len(part)) + after)


def _require_quick(text):
    """Require less than 100 ms of this process, which no other process's work can lengthen."""
    started = time.process_time()
    with suppress(ValueError):
        filter_of(text, FILMS)
    assert time.process_time() - started < 0.1
