"""The shipped adapter understands the shortest exclusions; ``pytest -s`` shows how many it misses."""

from itertools import product

import numpy as np
import pytest

import boolattn
from boolattn.encoders import reading_features

THINGS = ["films", "movies", "comedies", "novels", "books", "recipes", "hotels", "songs", "games", "destinations"]
EXCLUDED = ["war", "romance", "violence", "vampires", "robots", "ghosts", "zombies", "animals"]
EXCLUDED += ["music", "children", "religion", "politics", "sports", "crime", "magic", "aliens"]


@pytest.fixture(scope="module")
def model(minilm_folder):
    return boolattn.load("minilm-l6", backbone=minilm_folder)


def missed(model, cue):
    queries = [f"{thing} {cue} {excluded}" for thing, excluded in product(THINGS, EXCLUDED)]
    changes = np.abs(model.encode_query(queries) - model.documents().encode(queries)).max(axis=1)
    return int((changes < 1e-5).sum())


@pytest.mark.parametrize(("cue", "alone", "at_most"), [("without", 100, 30), ("but not", 40, 2), ("with no", 30, 10)])
def test_what_the_reader_misses_alone_is_found_with_the_rules(model, monkeypatch, cue, alone, at_most):
    with_rules = missed(model, cue)
    monkeypatch.setattr(reading_features, "SURE_OF_NONE", 1.0)
    by_reader = missed(model, cue)
    print(f"160 queries 'X {cue} Y': the reader alone misses {by_reader}, with the rules {with_rules}")
    assert by_reader > alone and with_rules <= at_most
