"""With every gate closed the output is bit-identical to the backbone's, and detaching leaves no trace."""

import numpy as np
import pytest
import torch

from boolattn import BoolAttnConfig, attach, detach, signed_vectors
from boolattn.backbones.attach.plugin import mechanism_of
from tests.backbones.tiny import batch

CLOSED = {"not given": {}, "given empty": {"operators": [[], [], []]}, "given zeros": {"operators": torch.zeros(3, 3)}}


def snapshot(model) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in model.state_dict().items()}


@pytest.mark.parametrize("closed", CLOSED.values(), ids=CLOSED.keys())
@torch.no_grad()
def test_closed_gates_are_bit_identical(encoder, closed):
    before = encoder(**batch()).last_hidden_state
    attach(encoder)
    assert torch.equal(encoder(**batch(), **closed).last_hidden_state, before)
    opened = encoder(**batch(), operators=[["not"], ["and"], ["or"]]).last_hidden_state
    assert (opened - before).abs().amax((1, 2)).min() > 1e-3, "open gates must do something, or this test says nothing"


def test_a_closed_learned_gate_is_bit_identical_with_gradients_enabled(encoder):
    before = encoder(**batch()).last_hidden_state
    attach(encoder, BoolAttnConfig(gate="learned"))
    mechanism_of(encoder).gate.ffn[-1].bias.data.fill_(-100.0)
    assert torch.equal(encoder(**batch()).last_hidden_state, before)


@torch.no_grad()
def test_a_learned_gate_that_finds_nothing_is_bit_identical(encoder):
    before = encoder(**batch()).last_hidden_state
    attach(encoder, BoolAttnConfig(gate="learned"))
    final = mechanism_of(encoder).gate.ffn[-1]
    final.bias.fill_(-100.0)
    assert torch.equal(encoder(**batch()).last_hidden_state, before)
    final.bias.fill_(100.0)
    assert not torch.equal(encoder(**batch()).last_hidden_state, before)


@torch.no_grad()
def test_detach_restores_the_backbone(encoder):
    output, weights, modules = encoder(**batch()).last_hidden_state, snapshot(encoder), list(encoder.modules())
    detach(attach(encoder))
    assert list(encoder.modules()) == modules
    assert snapshot(encoder).keys() == weights.keys()
    assert all(torch.equal(value, weights[name]) for name, value in encoder.state_dict().items())
    assert not any(module._forward_pre_hooks or module._forward_hooks for module in encoder.modules())
    assert torch.equal(encoder(**batch()).last_hidden_state, output)


@pytest.mark.parametrize("closed", [{}, {"operators": [[], []]}], ids=["not given", "given empty"])
@torch.no_grad()
def test_closed_gates_are_bit_identical_on_minilm(minilm, minilm_tokenizer, closed):
    tokens = minilm_tokenizer(["movies set in Vietnam", "war"], padding=True, return_tensors="pt")
    before = minilm(**tokens).last_hidden_state
    attach(minilm)
    assert torch.equal(minilm(**tokens, **closed).last_hidden_state, before)
    assert not torch.equal(minilm(**tokens, operators=["not", "not"]).last_hidden_state, before)
    assert torch.equal(detach(minilm)(**tokens).last_hidden_state, before)


MIXED = [
    "a quiet film about rain",
    "movies set in Vietnam but not about war",
    "jazz",
    "recipes, but not with celery",
    "",
]
PLAIN = [0, 2, 4]


def test_in_a_mixed_batch_plain_queries_have_the_vectors_of_the_bare_model_in_the_same_call(bare):
    calls = []

    def embed(texts):
        calls.append(texts)
        return bare.encode_query(texts)

    found = signed_vectors(MIXED, embed, reader="rules")
    [asked] = calls
    assert [asked[place] for place in PLAIN] == [MIXED[place] for place in PLAIN] and "war" in asked
    assert np.array_equal(found[PLAIN], bare.encode_query(asked)[PLAIN])


def test_in_a_mixed_batch_a_boolean_model_leaves_plain_queries_bit_identical(bare, by_rules):
    found, expected = by_rules.encode_query(MIXED), bare.encode_query(MIXED)
    assert np.array_equal(found[PLAIN], expected[PLAIN])
    assert not np.isclose(found[[1, 3]], expected[[1, 3]], atol=1e-3).all(axis=1).any()
