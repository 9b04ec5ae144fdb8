"""minilm-l6, which earlier versions shipped: a copy of it still loads and excludes, and indexes stay valid."""

from pathlib import Path

import numpy as np
import pytest

import boolattn

FORMER = Path(__file__).parents[1] / "encoders" / "storage" / "former" / "minilm-l6"
TEXTS = ["A platoon of soldiers fights in the jungle of Vietnam", "A cooking show travels through Vietnam"]
ORDINARY = ["war films", "films starring Tom Hanks or Meg Ryan", "1956 debut novels"]


@pytest.fixture(scope="module")
def model(minilm_folder):
    return boolattn.load(FORMER, backbone=str(minilm_folder))


def test_an_index_stays_valid_and_ordinary_queries_are_untouched(model, bare):
    assert np.array_equal(model.encode_document(TEXTS), bare.encode(TEXTS))
    assert np.array_equal(model.encode_query(ORDINARY), bare.encode(ORDINARY))


@pytest.mark.parametrize(
    "query",
    ["movies set in Vietnam but not about war", "movies set in Vietnam, no war please", "non-war movies in Vietnam"],
)
def test_excluded_documents_rank_lower(model, bare, query):
    index = bare.encode(TEXTS)
    before, after = bare.encode(query) @ index.T, model.encode_query(query) @ index.T
    assert after[0] - after[1] < before[0] - before[1]
    assert ["war" in atom.text for atom in model.plan(query).negatives] == [True]
