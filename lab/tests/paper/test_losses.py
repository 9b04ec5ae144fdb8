from math import exp, log

import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.losses.merged_forward import embed_columns
from torch import nn

from boolattn.attention import Trace
from boolattn.backbones.token_reading import TRACE
from boolattn_lab.paper import losses
from boolattn_lab.paper.losses import (
    BooleanLoss,
    LossWeights,
    contrastive_loss,
    cue_loss,
    embed_documents,
    exclusion_loss,
    gate_loss,
    scope_loss,
    subset_loss,
    triplet_loss,
)


def _nll(probability):
    return -log(probability)


def _logit(probability):
    return log(probability / (1 - probability))


def test_cue_loss_is_the_mean_over_real_tokens_and_operators():
    p = [[0.9, 0.2], [0.6, 0.5], [0.99, 0.99]]  # the third token is padding
    logits = torch.tensor([[[_logit(each) for each in token] for token in p]])
    labels = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]])
    expected = (_nll(0.9) + _nll(0.8) + _nll(0.4) + _nll(0.5)) / 4
    assert cue_loss(logits, labels, torch.tensor([[1, 1, 0]])).item() == pytest.approx(expected, rel=1e-5)


def test_gate_loss_is_the_mean_over_queries_and_operators():
    logits = torch.tensor([[_logit(0.7), _logit(0.1)], [_logit(0.25), _logit(0.5)]])
    labels = torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    expected = (_nll(0.7) + _nll(0.9) + _nll(0.25) + _nll(0.5)) / 4
    assert gate_loss(logits, labels).item() == pytest.approx(expected, rel=1e-5)


def test_the_cosine_triplet_by_hand():
    query, positive, negative = torch.tensor([[2.0, 0.0]]), torch.tensor([[0.6, 0.8]]), torch.tensor([[0.0, 3.0]])
    loss = triplet_loss(nn.Identity(), 1.0, "cosine")
    found = loss.compute_loss_from_embeddings([query, positive, negative], None)
    assert found.item() == pytest.approx((1 - 0.6) - (1 - 0) + 1)


def test_documents_of_similar_length_are_embedded_together(minilm_folder):
    model = SentenceTransformer(str(minilm_folder)).eval()
    words = "a film about the life of two sailors who build a boat and cross the ocean"
    lengths = [[9, 2, 15, 4], [3, 16, 1, 8], [12, 5, 7, 2]]
    columns = [model.preprocess([" ".join(words.split()[:each]) for each in column]) for column in lengths]
    expected = embed_columns(model, columns, separate_first=False)
    encoded = []
    model[0].register_forward_pre_hook(lambda _, inputs: encoded.append(inputs[0]["attention_mask"].numel()))
    found = embed_documents(model, columns)
    assert len(found) == 3
    for vectors, others in zip(found, expected, strict=True):
        torch.testing.assert_close(vectors, others, atol=1e-5, rtol=0)
    assert sum(encoded) == 4 * (5 + 10 + 18), "each third is as wide as its longest document, with two special tokens"


def test_features_of_a_document_stay_with_it():
    def model(features):
        return {"sentence_embedding": torch.cat([features["gates"], features["input_ids"][:, :1]], dim=1)}

    lengths = [[5, 2], [1, 4]]
    columns = [
        {
            "input_ids": torch.tensor([[each] * 5 for each in column]),
            "attention_mask": torch.tensor([[1] * each + [0] * (5 - each) for each in column]),
            "gates": torch.tensor([[each, 0, 1] for each in column]),
        }
        for column in lengths
    ]
    found = embed_documents(model, columns)
    assert [vectors[:, [0, 3]].tolist() for vectors in found] == [
        [[each, each] for each in column] for column in lengths
    ]


@pytest.mark.parametrize("gather", [True, False])
def test_negatives_are_gathered_across_devices_on_request(minilm_folder, monkeypatch, gather):
    monkeypatch.setattr(losses, "is_initialized", lambda: True)
    model = SentenceTransformer(str(minilm_folder))
    assert contrastive_loss(model, 1.0, gather).gather_across_devices is gather


def test_ambiguous_gates_have_no_gradient():
    logits = torch.tensor([[_logit(0.7), _logit(0.1)]], requires_grad=True)
    loss = gate_loss(logits, torch.tensor([[1.0, 1.0]]), torch.tensor([[True, False]]))
    assert loss.item() == pytest.approx(_nll(0.7) / 2, rel=1e-5)
    loss.backward()
    assert logits.grad[0, 0] != 0 and logits.grad[0, 1] == 0


def test_scope_loss_is_the_mean_over_layers_heads_and_the_tokens_whose_scope_is_known():
    def layer(first, second):  # two queries of two tokens, two heads, one operator
        return torch.tensor([[[[_logit(first)], [_logit(second)]]] * 2, [[[9.0], [9.0]]] * 2])

    labels = torch.tensor([[[1.0], [0.0]], [[0.0], [0.0]]])
    mask, known = torch.tensor([[1, 1], [1, 1]]), torch.tensor([True, False])
    expected = sum(_nll(p) + _nll(1 - p) for p in (0.9, 0.6, 0.3, 0.8)) / 8
    loss = scope_loss([layer(0.9, 0.6), layer(0.3, 0.8)], labels, mask, known)
    assert loss.item() == pytest.approx(expected, rel=1e-5)
    only_first_token = scope_loss([layer(0.9, 0.6)], labels, torch.tensor([[1, 0], [1, 1]]), known)
    assert only_first_token.item() == pytest.approx((_nll(0.9) + _nll(0.6)) / 2, rel=1e-5)


def test_scope_loss_is_zero_without_labels():
    logits, labels, mask = [torch.ones(1, 2, 2, 1)], torch.zeros(1, 2, 1), torch.ones(1, 2)
    assert scope_loss(logits, labels, mask, torch.tensor([False])).item() == 0
    assert scope_loss([], labels, mask, torch.tensor([True])).item() == 0


@pytest.fixture(scope="module")
def model(start):
    return SentenceTransformer(start, similarity_fn_name="dot")


def test_triplet_loss_is_euclidean_with_the_margin(model):
    q, p, n = torch.tensor([[0.0, 0.0]] * 2), torch.tensor([[3.0, 4.0], [1.0, 0.0]]), torch.tensor([[0.0, 5.5]] * 2)
    loss = triplet_loss(model, margin=1.0).compute_loss_from_embeddings([q, p, n], torch.empty(0))
    assert loss.item() == pytest.approx((5.0 - 5.5 + 1.0 + 0.0) / 2, rel=1e-4)


def test_contrastive_loss_is_a_softmax_over_everything_in_the_batch(model):
    queries = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    positives, negatives = torch.tensor([[2.0, 0.0], [1.0, 3.0]]), torch.tensor([[0.5, 0.5], [0.0, 4.0]])
    loss = contrastive_loss(model, scale=1.0).compute_loss_from_embeddings(
        [queries, positives, negatives], torch.empty(0)
    )
    first, second = [2.0, 1.0, 0.5, 0.0], [0.0, 3.0, 0.5, 4.0]  # dot products with all four documents
    expected = (-2.0 + log(sum(map(exp, first))) - 3.0 + log(sum(map(exp, second)))) / 2
    assert loss.item() == pytest.approx(expected, rel=1e-5)


def test_weights_are_not_negative_and_not_all_zero():
    with pytest.raises(ValueError, match="scope"):
        LossWeights(scope=-1.0)
    with pytest.raises(ValueError, match="nothing to learn"):
        LossWeights(ranking=0.0)


class _Told(nn.Module):
    """Instead of a model: returns the given vectors."""

    def forward(self, features):
        return features


def _column(*vectors):
    return {"sentence_embedding": torch.tensor(vectors), "attention_mask": torch.ones(len(vectors), 3)}


def test_logical_losses_compare_a_query_with_what_it_implies_and_what_it_excludes():
    query, implied, excluded = ([1.0, 0.5], [0.2, 1.0]), ([1.0, 0.1], [9.0, 9.0]), ([7.0, 7.0], [0.1, 0.9])
    documents = ([1.0, 0.0], [0.0, 1.0]), ([1.0, 1.0], [-1.0, 0.3])
    columns = [_column(*each) for each in (query, *documents, implied, excluded)]
    labels = torch.tensor([[6, 0b010], [3, 0b100]])  # rows 6 and 3: the first implies another, the second excludes one
    weights = LossWeights(ranking=0.0, subset=1.0, exclusion=2.0)
    losses = BooleanLoss(_Told(), None, weights)(columns, labels)
    everything = torch.tensor([*documents[0], *documents[1]])
    vectors = [torch.tensor(each) for each in (query, implied, excluded)]
    assert losses.keys() == {"subset", "exclusion"}
    assert torch.isclose(losses["subset"], subset_loss(vectors[0][:1], vectors[1][:1], everything))
    assert torch.isclose(losses["exclusion"], 2 * exclusion_loss(vectors[0][1:], vectors[2][1:], everything))
    assert losses["subset"] > 0 and losses["exclusion"] > 0


def test_each_loss_counts_for_its_weight():
    operators = ("and", "or", "not")
    trace = Trace(operators, torch.ones(1, 3), torch.full((1, 3), 0.3), torch.ones(1, 3, 3), torch.full((1, 3, 3), 0.2))
    trace.scope_logits.append(torch.full((1, 3, 2, 3), -0.4))
    query = _column([1.0, 0.0]) | {TRACE: trace}
    labels = torch.tensor([[5, 0b001100, 0, 0b100100, 0]])  # row 5 contains not, scopes known; its middle token is both
    loss = BooleanLoss(_Told(), None, LossWeights(ranking=0.0, cue=1.0, gate=10.0, scope=100.0))
    loss.operators = 3
    losses = loss([query, _column([0.0, 1.0])], labels)

    def entropy(logit, ones, count):
        return (ones * -log(1 / (1 + exp(-logit))) + (count - ones) * -log(1 - 1 / (1 + exp(-logit)))) / count

    assert losses["cue"].item() == pytest.approx(entropy(0.2, 1, 9), rel=1e-5)
    assert losses["gate"].item() == pytest.approx(10 * entropy(0.3, 1, 3), rel=1e-5)
    assert losses["scope"].item() == pytest.approx(100 * entropy(-0.4, 2, 18), rel=1e-5)
    unsure = torch.tensor([[5, 0b001_001_100, 0, 0b100100, 0]])  # of "and", people would not agree
    assert loss([query, _column([0.0, 1.0])], unsure)["gate"].item() == pytest.approx(
        10 * (entropy(0.3, 1, 3) - entropy(0.3, 0, 1) / 3), rel=1e-5
    )
