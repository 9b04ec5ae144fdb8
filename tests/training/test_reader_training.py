"""A reader that learns to read, then a readout that learns to rank: documents stay as an index holds them."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from sentence_transformers import SentenceTransformer

from boolattn import DualEncoder
from boolattn.reading.spans import Span
from boolattn.training.examples import Example, Question
from boolattn.training.models import build_model, choose_what_learns
from boolattn.training.recipes import load_recipe
from boolattn.training.running import make_trainer
from boolattn.training.sources import TrainingData, load_training_data
from boolattn.training.stages import finetune, pretrain
from tests.training import small

RECIPES = Path(__file__).parents[2] / "recipes"
TINY = {"training.batch_size": 4, "training.log_steps": 1}
TEXTS = ["Many kites are found in Peru. " * 5, "A stone."]
ORDINARY = ["old boats", "trains of Chad " * 30]  # longer than queries are in training
READS = {"pooling": "mean", "similarity": "cosine", "reading": "learned", "reader_layers": 2, "rank": 3}


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path / "cache"))


def _log(out):
    return json.loads((out / "results.json").read_text())["log"]


def _reader(folder):
    return load_file(folder / "query_0_BooleanTower" / "reader.safetensors")


def _readout(folder):
    return load_file(folder / "query_1_SignedPooling" / "model.safetensors")


def _same(first, second):
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def test_it_learns_to_read_then_to_rank_and_the_index_stays(start, data, tmp_path):
    changes = TINY | {"model.start": start, "model.reader_layers": 2, "data.queries": 56, "training.epochs": 1}
    first = pretrain(load_recipe(RECIPES / "minilm-read.toml", changes), data, tmp_path / "1")
    changes = TINY | {"model.start": str(first), "data.queries": 8}
    second = finetune(load_recipe(RECIPES / "minilm-adapter.toml", changes), data, tmp_path / "2")

    assert {"cue", "gate", "scope"} <= set(_log(tmp_path / "1")[0])
    assert "ranking" not in _log(tmp_path / "1")[0]
    assert "ranking" in _log(tmp_path / "2")[0] and "cue" not in _log(tmp_path / "2")[0]
    assert _reader(first)["hints.weight"].any()  # starts at 0
    assert not _readout(first)["move_unwanted.1.weight"].any()  # likewise: its turn comes
    assert _same(_reader(first), _reader(second))
    assert _readout(second)["move_unwanted.1.weight"].any() and _readout(second)["move_wanted.1.weight"].any()

    bare = SentenceTransformer(start)
    for folder in (first, second):
        model = DualEncoder(str(folder))
        assert model.encode_document(TEXTS).tobytes() == bare.encode(TEXTS).tobytes()
        assert model.encode_query(ORDINARY, operators=[[], []]).tobytes() == bare.encode(ORDINARY).tobytes()
        assert model.plan("kites but not of Peru").source == "learned"
    excluding = [DualEncoder(str(folder)).encode_query("kites NOT Peru") for folder in (first, second)]
    assert not np.allclose(*excluding, atol=1e-3)


def test_the_losses_of_a_reader_fall(start, data, tmp_path):
    recipe = small.recipe(
        "pretrain", start, "reading", model=READS, data={"queries": 8},
        losses={"cue": 1.0, "gate": 1.0, "scope": 1.0, "ranking": 0.0},
        training={"learns": "adapter", "gates": "learned", "epochs": 30, "checkpoint_steps": 1000},
    )  # fmt: skip
    pretrain(recipe, data, tmp_path)
    for name in ("cue", "gate", "scope"):
        curve = [row[name] for row in _log(tmp_path) if name in row]
        assert sum(curve[-6:]) < 0.6 * sum(curve[:6]), name


def test_to_learn_to_read_a_query_is_encoded_once_and_only_the_reader_learns(start, data, tmp_path):
    recipe = small.recipe(
        "pretrain", start, "reading", model=READS, data={"queries": 8},
        losses={"cue": 1.0, "gate": 1.0, "scope": 1.0, "ranking": 0.0},
        training={"learns": "adapter", "gates": "learned", "batch_size": 8},
    )  # fmt: skip
    trainer = make_trainer(recipe, load_training_data(data, recipe.data, 0), tmp_path)
    model, batch = trainer.model.train(), next(iter(trainer.get_train_dataloader()))
    calls = []
    model.tower.transformer.auto_model.register_forward_hook(lambda *_: calls.append(1))
    trainer.compute_loss(model, dict(batch)).backward()
    assert len(calls) == 1
    reached = {id(weight) for weight in model.parameters() if weight.grad is not None and weight.grad.any()}
    assert reached <= {id(weight) for weight in model.tower.reader.parameters()}
    assert len(reached) == len(list(model.tower.reader.parameters()))


@pytest.mark.parametrize("losses", [{"cue": 1.0}, {"scope": 1.0}, {"gate": 1.0}, {}])
@pytest.mark.parametrize("learns", ["adapter", "full"])
def test_what_learns_beside_a_reader(start, learns, losses):
    recipe = small.recipe(
        "finetune", start, "quest", model=READS, losses=losses, training={"learns": learns, "gates": "learned"}
    )
    model = build_model(recipe)
    choose_what_learns(model, recipe)
    assert all(weight.requires_grad for weight in model.readout.parameters())
    assert {weight.requires_grad for weight in model.tower.reader.parameters()} == {bool(losses)}
    assert model.tower.reads_settled == bool(losses)
    assert all(weight.requires_grad == (learns == "full") for weight in model.documents().parameters())
    assert model.readout.rank == 3 and len(model.tower.reader.layers) == 2
    assert {weight.requires_grad for name, weight in model.named_parameters() if ".boolattn." in name} <= {
        learns == "full"
    }


def test_a_reader_has_a_gate_to_learn_whatever_the_mechanism(start):
    model = build_model(
        small.recipe(
            "finetune", start, "quest", model=READS, mechanism={"gate": "given"}, training={"gates": "learned"}
        )
    )
    assert model.tower.has_learned_gate


@pytest.mark.parametrize("name", ["minilm-mechanism", "minilm-full"])
def test_the_mechanism_is_taught_with_the_index_and_without(start, data, tmp_path, name):
    changes = TINY | {"model.start": start, "data.queries": 8, "training.epochs": 1}
    folder = finetune(load_recipe(RECIPES / f"{name}.toml", changes), data, tmp_path / "out")
    assert "ranking" in _log(tmp_path / "out")[0]
    ours, theirs = DualEncoder(str(folder)).encode_document(TEXTS[1:]), SentenceTransformer(start).encode(TEXTS[1:])
    assert np.array_equal(ours, theirs) == (name == "minilm-mechanism")


def test_a_dot_product_is_not_compared_with_all(start, data, tmp_path):
    recipe = small.recipe("finetune", start, "films", data={"queries": 8, "validation_queries": 0},
                          training={"learns": "adapter", "candidates": "corpus"})  # fmt: skip
    with pytest.raises(ValueError, match="cosine"):
        finetune(recipe, data, tmp_path / "out")


def test_a_batch_that_excludes_nothing_teaches_nothing(start, data, tmp_path):
    recipe = small.recipe(
        "finetune", start, "films", model=READS, data={"queries": 12, "validation_queries": 0},
        training={"learns": "adapter", "candidates": "corpus", "batch_size": 1, "epochs": 1},
    )  # fmt: skip
    finetune(recipe, data, tmp_path / "out")


def test_a_reader_learns_cues_and_scopes_where_gates_are_given(start, data, tmp_path):
    recipe = small.recipe(
        "finetune", start, "films", model=READS, data={"queries": 8, "validation_queries": 0},
        losses={"cue": 1.0, "scope": 1.0}, training={"learns": "adapter", "candidates": "corpus", "epochs": 1},
    )  # fmt: skip
    folder = finetune(recipe, data, tmp_path / "out")
    assert {"ranking", "cue", "scope"} <= set(_log(tmp_path / "out")[0])
    assert _reader(folder)["hints.weight"].any()  # starts at 0


def test_a_batch_of_explicit_syntax_is_read_too(start, tmp_path):
    recipe = small.recipe(
        "pretrain", start, "reading", model=READS, losses={"cue": 1.0, "gate": 1.0, "ranking": 0.0},
        training={"learns": "adapter", "gates": "learned"},
    )  # fmt: skip
    written = Question("kites NOT Peru", frozenset({"not"}), {"not": (Span(6, 9),)}, {"not": (Span(10, 14),)})
    trainer = make_trainer(recipe, TrainingData([Example(written, ())] * 4), tmp_path)
    trainer.model.eval()  # as encoding leaves it when the next batch is drawn
    batch = next(iter(trainer.get_train_dataloader()))
    trainer.compute_loss(trainer.model.train(), dict(batch)).backward()
    assert trainer.model.tower.reader.of_query.weight.grad.any()
