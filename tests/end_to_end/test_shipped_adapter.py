from pathlib import Path

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

import boolattn

TEXTS = ["A platoon of soldiers fights in the jungle of Vietnam", "A cooking show travels through Vietnam"]
ORDINARY = ["war films", "the man without a past", "films starring Tom Hanks or Meg Ryan", "1956 debut novels"]


@pytest.fixture(scope="module")
def model(minilm_folder):
    return boolattn.load("minilm-l6", backbone=str(minilm_folder))


@pytest.fixture(scope="module")
def bare(minilm_folder):
    return SentenceTransformer(str(minilm_folder))


def test_an_index_stays_valid_and_ordinary_queries_are_untouched(model, bare):
    assert np.array_equal(model.encode_document(TEXTS), bare.encode(TEXTS))
    assert np.array_equal(model.encode_query(ORDINARY), bare.encode(ORDINARY))


@pytest.mark.parametrize(
    "query",
    ["movies set in Vietnam but not about war", "movies set in Vietnam, no war please", "non-war movies in Vietnam"],
)
def test_what_is_excluded_falls(model, bare, query):
    index = bare.encode(TEXTS)
    before, after = bare.encode(query) @ index.T, model.encode_query(query) @ index.T
    assert after[0] - after[1] < before[0] - before[1]
    assert ["war" in atom.text for atom in model.plan(query).negatives] == [True]


def test_it_understands_words_the_rules_do_not_know(model):
    plan = model.plan("comedies that steer clear of romance")
    assert plan.source == "learned" and [atom.text for atom in plan.negatives] == ["romance"]


def test_only_what_a_cue_speaks_of_is_excluded(model):
    plan = model.plan("thrillers are out, films made in the 1920s are in")
    assert [atom.text for atom in plan.negatives] == ["thrillers"]


def test_it_is_small_and_says_what_it_is():
    folder = Path(__file__).parents[2] / "adapters" / "minilm-l6"
    assert sum(path.stat().st_size for path in folder.rglob("*")) < 12e6
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert all(f"**{part}**" in card for part in ("Data", "Figures", "Limits"))
