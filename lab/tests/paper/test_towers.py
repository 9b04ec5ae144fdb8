"""Separate encoders for queries and documents."""

import numpy as np
import pytest
import torch
from lab.tests.paper import small
from sentence_transformers import SentenceTransformer

from boolattn import DualEncoder
from boolattn.backbones.attach.hooks import KEYWORD
from boolattn.backbones.storage.adapters import save_without_backbone
from boolattn.backbones.storage.model_names import load_encoder
from boolattn_lab.benchmarks.evaluate import evaluate
from boolattn_lab.benchmarks.sets import load_benchmark
from boolattn_lab.benchmarks.systems import load_system
from boolattn_lab.paper.models import build_model, freeze_parameters, transformers_of
from boolattn_lab.paper.recipes import RecipeError
from boolattn_lab.paper.train import finetune

QUERY = "kites but not of Peru"


def _recipe(start, boolean=True, **sections):
    return small.recipe("finetune", start, "quest", model={"towers": "separate", "boolean": boolean}, **sections)


def _weights(model):
    return [each.auto_model.get_submodule("encoder.layer.0.attention.self.query").weight for each in model]


@pytest.mark.parametrize("boolean", [True, False])
def test_both_towers_start_equal_and_train_separately(start, data, tmp_path, boolean, monkeypatch):
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path / "cache"))
    model = build_model(_recipe(start, boolean))
    plain = SentenceTransformer(start)
    assert isinstance(model, DualEncoder) == boolean
    assert torch.equal(*_weights(transformers_of(model)))
    folder = finetune(_recipe(start, boolean, data={"validation_queries": 0}), data, tmp_path / "run")
    trained = load_encoder(str(folder))
    query, document = _weights(transformers_of(trained))
    [before] = _weights([plain[0]])
    assert not torch.equal(query, document) and not torch.equal(query, before) and not torch.equal(document, before)
    again = build_model(
        small.recipe("finetune", str(folder), "quest", model={"boolean": boolean, "towers": "separate"})
    )
    assert np.array_equal(again.encode_query([QUERY]), trained.encode_query([QUERY]))
    assert np.array_equal(again.encode_document([QUERY]), trained.encode_document([QUERY]))
    task = load_benchmark("quest", data)
    measured = evaluate(task.with_given_operators(), load_system(str(folder), progress=False)).report
    assert measured.measures["R@100"] == 0.75, "all but the answer that is in no corpus"


def test_only_the_query_tower_has_a_mechanism_and_is_pretrained(start, tmp_path):
    recipe = small.recipe("pretrain", start, "setbert", model={"towers": "separate"})
    model = build_model(recipe)
    freeze_parameters(model, recipe)
    query, document = (each.auto_model for each in transformers_of(model))
    assert hasattr(query, KEYWORD) and not hasattr(document, KEYWORD)
    assert any(weight.requires_grad for weight in query.embeddings.parameters())
    assert not any(weight.requires_grad for weight in document.parameters())
    with pytest.raises(ValueError, match="separate towers cannot be shipped as an adapter"):
        save_without_backbone(model, tmp_path / "shipped", "some/backbone")


def test_a_model_with_one_tower_cannot_be_given_two(start, tmp_path):
    build_model(small.recipe("finetune", start, "quest")).save(str(tmp_path))
    with pytest.raises(RecipeError, match=r"towers = 'separate', but .* was made with 'shared'"):
        build_model(small.recipe("finetune", str(tmp_path), "quest", model={"towers": "separate", "pooling": None}))
