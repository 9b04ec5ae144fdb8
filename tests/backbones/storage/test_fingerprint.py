"""A fingerprint changes if and only if a document's vector changes."""

import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Dense, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling
from torch import nn

from boolattn.backbones.dual_encoder import DualEncoder
from boolattn.backbones.storage.fingerprint import document_fingerprint
from tests.backbones.small import backbone

# Indexes, folders and vectors are kept under these: a change of them orphans what people have.
MINILM = "b7dc60e668544e9050b4a099ebd42872"
TINY = "fceb50c73cc8bc5cd235fe7dcab3b9d9"


@pytest.fixture
def model(tmp_path, minilm_folder) -> SentenceTransformer:
    """Return a tiny model whose weights are the same on every machine."""
    model = SentenceTransformer(backbone(tmp_path, minilm_folder))
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_((torch.arange(weight.numel()) % 7 - 3).reshape(weight.shape) / 8)
    return model


def transformer(model: SentenceTransformer) -> Transformer:
    return next(model.children())


def test_fingerprints_do_not_change_between_versions(model, minilm_folder):
    assert document_fingerprint(model) == TINY
    plain = SentenceTransformer(str(minilm_folder))
    assert document_fingerprint(plain) == document_fingerprint(DualEncoder.training_free(plain)) == MINILM


def change_weight(model):
    with torch.no_grad():
        transformer(model).auto_model.encoder.layer[1].attention.self.query.bias[0] += 1e-6


def change_pooling(model):
    model[1] = Pooling(32, "cls")


def add_layer(activation, residual=False):
    def add(model):
        layer = Dense(32, 32, activation_function=activation, use_residual=residual)
        with torch.no_grad():
            layer.linear.weight.fill_(0.5)
            layer.linear.bias.fill_(0.5)
        model.append(layer)

    return add


CHANGES = {
    "nothing": lambda model: None,
    "weight": change_weight,
    "precision": lambda model: model.to(torch.bfloat16),
    "pooling": change_pooling,
    "one more layer": add_layer(nn.Tanh()),
    "its activation": add_layer(nn.Identity()),
    "its residual": add_layer(nn.Tanh(), residual=True),
    "heads": lambda model: setattr(transformer(model).auto_model.config, "num_attention_heads", 2),
    "document prompt": lambda model: model.prompts.update(document="passage: "),
    "default prompt": lambda model: (model.prompts.clear(), model.prompts.update(other="text: "),
                                     setattr(model, "default_prompt_name", "other")),
    "similarity": lambda model: setattr(model, "similarity_fn_name", "dot"),
    "dimension": lambda model: setattr(model, "truncate_dim", 16),
    "length": lambda model: setattr(model, "max_seq_length", 16),
    "vocabulary": lambda model: model.tokenizer.add_tokens(["Vietnam"]),
}  # fmt: skip


def test_anything_that_changes_vectors_changes_the_fingerprint(model, minilm_folder, tmp_path):
    found = {}
    model.save(str(tmp_path / "saved"))
    for name, change in CHANGES.items():
        changed = SentenceTransformer(str(tmp_path / "saved"))
        change(changed)
        found[name] = document_fingerprint(changed)
    assert found["nothing"] == TINY
    assert len(set(found.values())) == len(CHANGES), found


def test_anything_else_does_not_change_the_fingerprint(model, monkeypatch):
    model.prompts["query"] = "query: "
    with torch.no_grad():
        transformer(model).auto_model.pooler.dense.weight += 1
    monkeypatch.setattr(Transformer, "__repr__", lambda module: "as a newer version prints it")
    assert document_fingerprint(model) == TINY
