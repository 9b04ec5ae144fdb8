import hashlib
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import boolattn

FOLDER = Path(__file__).parents[2] / "adapters" / "minilm-l6"
FORMER = Path(__file__).parents[1] / "encoders" / "storage" / "former" / "minilm-l6"  # as 0.1 saved it
TEXTS = ["A platoon of soldiers fights in the jungle of Vietnam", "A cooking show travels through Vietnam"]
ORDINARY = ["war films", "films starring Tom Hanks or Meg Ryan", "1956 debut novels"]


@pytest.fixture(scope="module")
def model(minilm_folder):
    return boolattn.load("minilm-l6", backbone=str(minilm_folder))


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


def test_it_loads_without_a_warning_and_its_weights_are_those_that_were_trained(minilm_folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        boolattn.load("minilm-l6", backbone=str(minilm_folder))
    assert [path.name for path in FOLDER.rglob("*.safetensors")] == ["boolattn.safetensors"]
    weights, trained = load_file(FOLDER / "boolattn.safetensors"), FORMER / "readout" / "model.safetensors"
    digest = "b39a86b61ca16cc8ec725f8d93690d35808df95deb6af1d0d0c14df2a19f2860"
    assert hashlib.sha256(trained.read_bytes()).hexdigest() == digest
    assert {f"readout.{name}" for name in load_file(trained)} == set(weights)
    assert all(torch.equal(weights[f"readout.{name}"].to(each), each) for name, each in load_file(trained).items())


def test_the_folder_that_earlier_versions_shipped_gives_the_same_vectors(model, minilm_folder):
    former = boolattn.load(FORMER, backbone=str(minilm_folder))
    queries = ["movies set in Vietnam but not about war", *ORDINARY]
    assert np.array_equal(former.encode_query(queries), model.encode_query(queries))
    assert [former.plan(query) for query in queries] == [model.plan(query) for query in queries]


def test_it_is_small_and_describes_itself():
    assert sum(path.stat().st_size for path in FOLDER.rglob("*")) < 1e6
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"**{part}**" in card for part in ("Data", "Figures", "Limits"))
