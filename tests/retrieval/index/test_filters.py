"""Conditions on metadata mean the same in every engine."""

import uuid

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boolattn.retrieval.index.opening import open_engine
from boolattn.retrieval.index.protocol import Condition
from tests.retrieval.index.films import DESCRIPTION, GENRE, RATING, SEEN, YEAR, films, fulfils

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
CONDITIONS = [
    *[Condition(YEAR, comparison, 1990) for comparison in ("=", "!=", "<", "<=", ">", ">=")],
    *[Condition(RATING, comparison, 7.5) for comparison in ("=", "!=", "<", "<=", ">", ">=")],
    *[Condition(GENRE, comparison, "war") for comparison in ("=", "!=", "<", "<=", ">", ">=")],
    Condition(YEAR, "=", 2**62 + 1),
    Condition(YEAR, "=", 2**62),
    Condition(YEAR, "<", 0),
    Condition(YEAR, "in", (1990, -5, 7)),
    Condition(YEAR, "in", ()),
    Condition(RATING, "=", 8),
    Condition(RATING, ">", 1e-8),
    Condition(RATING, "in", (8, 7.5)),
    Condition(RATING, "in", (8,)),
    Condition(SEEN, "=", True),
    Condition(SEEN, "=", False),
    Condition(SEEN, "!=", True),
    Condition(SEEN, "in", (True, False)),
    *[Condition(GENRE, "=", fields[GENRE]) for fields in METADATA if GENRE in fields],
    Condition(GENRE, "in", ("", "電影 🎬\n", "none")),
]


@pytest.fixture(scope="module", params=["lance", "milvus"])
def where(request, tmp_path_factory):
    """Where indexes go."""
    return (
        f"lance://{tmp_path_factory.mktemp('filters')}"
        if request.param == "lance"
        else request.getfixturevalue("milvus").uri
    )


@pytest.fixture(scope="module")
def filled(where):
    engine = open_engine(f"{where}/filled")
    engine.create(DESCRIPTION)
    engine.upsert(films([str(n) for n in range(len(METADATA))], metadata=METADATA))
    yield engine
    engine.drop()


def found(engine, *conditions):
    return {hit.doc_id for hit in engine.search(ANYWHERE, 100, conditions)}


@pytest.mark.parametrize("condition", CONDITIONS, ids=str)
def test_one_condition(filled, condition):
    assert found(filled, condition) == {str(n) for n, fields in enumerate(METADATA) if fulfils(fields, condition)}


def test_several_conditions_hold_together(filled):
    conditions = (Condition(YEAR, "<", 2000), Condition(SEEN, "!=", True), Condition(GENRE, "!=", "war"))
    assert found(filled, *conditions) == {"1"}


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
def test_any_text_can_be_looked_for(where, texts):
    engine = open_engine(f"{where}/t{uuid.uuid4().hex}")
    engine.create(DESCRIPTION)
    try:
        engine.upsert(films([f"{text}!" for text in texts], metadata=[{GENRE: text} for text in texts]))
        for text in texts:
            for condition in (Condition(GENRE, "=", text), Condition(GENRE, "in", (text, "\t none"))):
                assert found(engine, condition) == {f"{text}!"}
            assert engine.fetch([f"{text}!"]).metadata == [{GENRE: text}]
        assert engine.count() == len(texts)
    finally:
        engine.drop()
