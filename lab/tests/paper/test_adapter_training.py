"""A readout that learns to rank, while documents stay as in the index."""

import json
from pathlib import Path

import numpy as np
import pytest
from lab.tests.paper import small
from safetensors.torch import load_file
from sentence_transformers import SentenceTransformer

from boolattn import DualEncoder
from boolattn_lab.paper.models import build_model, freeze_parameters
from boolattn_lab.paper.recipes import load_recipe
from boolattn_lab.paper.train import finetune

RECIPES = Path(__file__).parents[2] / "recipes"
TINY = {"training.batch_size": 4, "training.log_steps": 1}
TEXTS = ["Many kites are found in Peru. " * 5, "A stone."]
ORDINARY = ["old boats", "trains of Chad " * 30]  # longer than queries are in training
TWO_SIDED = {"pooling": "mean", "similarity": "cosine", "encoding": "two-sided", "rank": 3}


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path / "cache"))


def _log(out):
    return json.loads((out / "results.json").read_text())["log"]


def _readout(folder):
    return load_file(folder / "query_1_SignedPooling" / "model.safetensors")


@pytest.mark.parametrize("name", ["minilm", "gte-small"])
def test_the_readout_learns_to_rank_and_the_index_stays(start, data, tmp_path, name):
    changes = TINY | {"model.start": start, "data.queries": 8}
    folder = finetune(load_recipe(RECIPES / f"{name}-adapter.toml", changes), data, tmp_path)
    assert "ranking" in _log(tmp_path)[0] and "cue" not in _log(tmp_path)[0]
    learned = _readout(folder)
    assert learned["move_unwanted.1.weight"].any() and learned["move_wanted.1.weight"].any()  # start at 0
    model, bare = DualEncoder(str(folder)), SentenceTransformer(start)
    assert model.tower.encoding.name == "two-sided"
    assert model.encode_document(TEXTS).tobytes() == bare.encode(TEXTS).tobytes()
    assert model.encode_query(ORDINARY, exclude=[]).tobytes() == bare.encode(ORDINARY).tobytes()
    untrained = DualEncoder.two_sided(start).encode_query("kites NOT Peru")
    assert not np.allclose(model.encode_query("kites NOT Peru"), untrained, atol=1e-3)


@pytest.mark.parametrize("learns", ["adapter", "full"])
def test_what_trains_besides_the_readout(start, learns):
    recipe = small.recipe("finetune", start, "quest", model=TWO_SIDED, training={"learns": learns})
    model = build_model(recipe)
    freeze_parameters(model, recipe)
    assert all(weight.requires_grad for weight in model.readout.parameters())
    assert all(weight.requires_grad == (learns == "full") for weight in model.document_encoder().parameters())
    assert model.readout.rank == 3 and not list(model.tower.parameters())


@pytest.mark.parametrize("name", ["minilm-mechanism", "minilm-full"])
def test_the_mechanism_is_trained_with_and_without_a_fixed_index(start, data, tmp_path, name):
    changes = TINY | {"model.start": start, "data.queries": 8, "training.epochs": 1}
    folder = finetune(load_recipe(RECIPES / f"{name}.toml", changes), data, tmp_path / "out")
    assert "ranking" in _log(tmp_path / "out")[0]
    ours, theirs = DualEncoder(str(folder)).encode_document(TEXTS[1:]), SentenceTransformer(start).encode(TEXTS[1:])
    assert np.array_equal(ours, theirs) == (name == "minilm-mechanism")


def test_a_dot_product_cannot_use_the_whole_corpus(start, data, tmp_path):
    recipe = small.recipe("finetune", start, "films", data={"queries": 8, "validation_queries": 0},
                          training={"learns": "adapter", "candidates": "corpus"})  # fmt: skip
    with pytest.raises(ValueError, match="cosine"):
        finetune(recipe, data, tmp_path / "out")


def test_training_survives_a_batch_without_exclusions(start, data, tmp_path):
    recipe = small.recipe(
        "finetune", start, "films", model=TWO_SIDED, data={"queries": 12, "validation_queries": 0},
        training={"learns": "adapter", "candidates": "corpus", "batch_size": 1, "epochs": 1},
    )  # fmt: skip
    finetune(recipe, data, tmp_path / "out")
