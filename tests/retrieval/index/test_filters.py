"""Filters on metadata mean the same in every index."""

import uuid

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boolattn.retrieval.index.checking import MOST_FILTERS, MOST_VALUES
from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import Filter
from tests.retrieval.backends import BACKENDS
from tests.retrieval.index.films import DESCRIPTION, GENRE, RATING, SEEN, YEAR, films, passes

ANYWHERE = np.ones(4, np.float32)
METADATA = [
    {YEAR: 1990, RATING: 7.5, GENRE: "war", SEEN: True},
    {YEAR: 1991, RATING: 8, GENRE: "it's \"odd\" \\ 'n' all", SEEN: False},
    {YEAR: -5, RATING: -0.25, GENRE: "comedy"},
    {YEAR: 2**62 + 1, RATING: 1e-7, GENRE: "", SEEN: True},
    {RATING: 1e300, GENRE: "電影 🎬\n"},
    {YEAR: 0},
    {},
]
FILTERS = [
    *[Filter(YEAR, comparison, 1990) for comparison in ("=", "!=", "<", "<=", ">", ">=")],
    *[Filter(RATING, comparison, 7.5) for comparison in ("=", "!=", "<", "<=", ">", ">=")],
    *[Filter(GENRE, comparison, "war") for comparison in ("=", "!=", "<", "<=", ">", ">=")],
    Filter(YEAR, "=", 2**62 + 1),
    Filter(YEAR, "=", 2**62),
    Filter(YEAR, "<", 0),
    Filter(YEAR, "in", (1990, -5, 7)),
    Filter(YEAR, "in", ()),
    Filter(RATING, "=", 8),
    Filter(RATING, ">", 1e-8),
    Filter(RATING, "in", (8, 7.5)),
    Filter(RATING, "in", (8,)),
    Filter(SEEN, "=", True),
    Filter(SEEN, "=", False),
    Filter(SEEN, "!=", True),
    Filter(SEEN, "in", (True, False)),
    *[Filter(GENRE, "=", fields[GENRE]) for fields in METADATA if GENRE in fields],
    Filter(GENRE, "in", ("", "電影 🎬\n", "none")),
]


@pytest.fixture(scope="module", params=BACKENDS)
def where(request, tmp_path_factory, place_of):
    """Where indexes go."""
    return place_of(request.param, tmp_path_factory.mktemp("filters"))


@pytest.fixture(scope="module")
def filled(where):
    index = open_index(f"{where}/filled")
    index.create(DESCRIPTION)
    index.upsert(films([str(n) for n in range(len(METADATA))], metadata=METADATA))
    yield index
    index.drop()


def found(index, *filters):
    return {hit.doc_id for hit in index.search(ANYWHERE, 100, filters)}


@pytest.mark.parametrize("given", FILTERS, ids=str)
def test_one_filter(filled, given):
    assert found(filled, given) == {str(n) for n, fields in enumerate(METADATA) if passes(fields, given)}


def test_several_filters_must_all_match(filled):
    filters = (Filter(YEAR, "<", 2000), Filter(SEEN, "!=", True), Filter(GENRE, "!=", "war"))
    assert found(filled, *filters) == {"1"}


def test_as_many_filters_and_values_as_are_allowed(filled):
    many = [Filter(YEAR, "!=", number) for number in range(1900, 1900 + MOST_FILTERS - 1)]
    among = Filter(GENRE, "in", ("war", *(f"genre {n}" for n in range(MOST_VALUES - MOST_FILTERS))))
    assert found(filled, *many, among) == {"0"}


def test_metadata_comes_back(filled):
    assert filled.fetch([str(n) for n in range(len(METADATA))]).metadata == METADATA


# All of Unicode that is text; NUL ends strings in C.
LETTERS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    texts=st.lists(
        LETTERS | st.sampled_from(["'", '"', "\\", "\\'", "%", "\r\n", "${x}", "{y}"]), min_size=8, unique=True
    )
)
def test_any_text_can_be_searched(where, texts):
    index = open_index(f"{where}/t{uuid.uuid4().hex}")
    index.create(DESCRIPTION)
    try:
        index.upsert(films([f"{text}!" for text in texts], metadata=[{GENRE: text} for text in texts]))
        for text in texts:
            for given in (Filter(GENRE, "=", text), Filter(GENRE, "in", (text, "\t none"))):
                assert found(index, given) == {f"{text}!"}
            assert index.fetch([f"{text}!"]).metadata == [{GENRE: text}]
        assert index.count() == len(texts)
    finally:
        index.drop()
