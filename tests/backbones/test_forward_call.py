"""The arguments and results of the model's forward call with BoolAttn attached."""

import numpy as np
import pytest
import torch

from boolattn import BoolAttnConfig, attach
from boolattn.backbones.attach.plugin import mechanism_of
from tests.backbones.tiny import batch, tiny


@pytest.fixture
def model():
    return attach(tiny("bert"))


def states(model, **given) -> torch.Tensor:
    with torch.no_grad():
        return model(**batch(), **given).last_hidden_state


def test_names_and_gates_are_equivalent(model):
    gates = torch.tensor([[0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    assert torch.equal(states(model, operators=[["not"], ["and", "or"], []]), states(model, operators=gates))
    assert torch.equal(states(model, operators=["not", ("or", "and"), ()]), states(model, operators=gates))
    assert torch.equal(states(model, operators=gates.numpy()), states(model, operators=gates))


def test_mask_may_be_positional_or_absent(model):
    tokens = batch()
    with torch.no_grad():
        positional = model(tokens["input_ids"], tokens["attention_mask"], operators=["not"] * 3).last_hidden_state
        assert torch.equal(positional, states(model, operators=["not"] * 3))
        full = torch.ones_like(tokens["input_ids"])
        absent = model(tokens["input_ids"], operators=["not"] * 3).last_hidden_state
        torch.testing.assert_close(absent, model(tokens["input_ids"], full, operators=["not"] * 3).last_hidden_state)


def test_given_strength_scales_the_effect(model):
    scopes = torch.zeros(3, 9, 3)
    scopes[:, 2:4, 2] = 1
    bare = states(model)
    moved = [
        float((states(model, operators=["not"] * 3, scopes=scopes, strength={"not": size}) - bare).norm())
        for size in (0.0, 0.5, 2.0)
    ]
    assert moved[0] == pytest.approx(0, abs=1e-4)
    assert moved[0] < moved[1] < moved[2]
    one = states(model, operators=["not"] * 3, scopes=scopes, strength=2.0)
    for same in (torch.tensor([0.0, 0.0, 2.0]), torch.tensor(2.0), [0, 0, 2], np.float32(2), np.array([0.0, 0.0, 2.0])):
        assert torch.equal(states(model, operators=["not"] * 3, scopes=scopes.numpy(), strength=same), one)


def test_given_cues_and_scopes_replace_the_predictions(model):
    cues, scopes = torch.zeros(3, 9, 3), torch.zeros(3, 9, 3)
    cues[:, 1, 2] = 1
    scopes[:, 2:4, 2] = 1
    with torch.no_grad():
        trace = model(**batch(), operators=["not"] * 3, cues=cues, scopes=scopes, trace=True).boolattn
    assert torch.equal(trace.cues, cues)
    assert trace.cue_logits is None
    assert trace.scope_logits == []
    for layer in range(3):
        assert torch.equal(trace.scopes[layer], scopes[:, :, None].expand(-1, -1, 4, -1))


def test_trace_of_every_layer(model):
    with torch.no_grad():
        output = model(**batch(), operators=["not", "and", []], trace=True)
    trace = output.boolattn
    assert trace.operators == ("and", "or", "not")
    assert trace.gates.tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 0]]
    assert trace.cues.shape == (3, 9, 3)
    assert len(trace.scopes) == len(trace.biases) == len(trace.scope_logits) == 3
    assert {tuple(each.shape) for each in trace.scopes + trace.biases} == {(3, 9, 4, 3)}
    assert set(torch.stack(trace.scopes).flatten().tolist()) == {0.0, 1.0}
    assert torch.stack(trace.biases).min() > 0
    padding = batch()["attention_mask"] == 0
    assert (trace.cues[padding] == 0).all() and (torch.stack(trace.scopes)[:, padding] == 0).all()
    assert torch.equal(output.last_hidden_state, states(model, operators=["not", "and", []])), "looking changes nothing"


def test_trace_of_a_closed_call_has_cues_and_no_scopes(model):
    with torch.no_grad():
        output = model(**batch(), operators=[[], [], []], trace=True)
    assert output.boolattn.cue_logits.shape == (3, 9, 3)
    assert output.boolattn.scopes == []
    assert torch.equal(output.last_hidden_state, states(model))


def test_learned_gates_are_used_unless_operators_are_given():
    model = attach(tiny("bert"), BoolAttnConfig(gate="learned"))
    with torch.no_grad():
        mechanism_of(model).gate.ffn[-1].weight.zero_()
        mechanism_of(model).gate.ffn[-1].bias.copy_(torch.tensor([-5.0, -5.0, 5.0]))
        learned = model(**batch(), trace=True)
        given = model(**batch(), operators=["not"] * 3, trace=True)
    assert learned.boolattn.gates.tolist() == [[0, 0, 1]] * 3
    assert given.boolattn.gates.tolist() == [[0, 0, 1]] * 3
    assert torch.equal(learned.last_hidden_state, given.last_hidden_state)


MISTAKES = {
    "an operator nobody knows": ({"operators": ["xor"] * 3}, "unknown operator 'xor'"),
    "a bare word": ({"operators": "not"}, r"write \['not'\]"),
    "two entries for three queries": ({"operators": ["and", "not"]}, "one list of names per query"),
    "scopes of the wrong shape": ({"operators": ["not"] * 3, "scopes": torch.ones(3, 9)}, r"needs \(3, 9, 3\)"),
    "a negative tensor": ({"operators": ["not"] * 3, "strength": torch.tensor([0, 0, -4.0])}, "must not be negative"),
    "negative strength": ({"operators": ["not"] * 3, "strength": -4.0}, "must not be negative"),
    "scopes without operators": ({"scopes": torch.ones(3, 9, 3)}, "pass operators="),
    "a trace without operators": ({"trace": True}, "pass operators="),
    "a trace on a tuple": ({"operators": ["not"] * 3, "trace": True, "return_dict": False}, "return_dict"),
}


@pytest.mark.parametrize(("given", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes_are_named(model, given, message):
    with pytest.raises((ValueError, TypeError), match=message):
        model(**batch(), **given)


def test_a_four_dimensional_mask_is_refused(model):
    with pytest.raises(ValueError, match="attention_mask must be"):
        model(batch()["input_ids"], torch.zeros(3, 1, 9, 9), operators=["not"] * 3)


def test_writes_to_weights_are_noticed_between_calls(model):
    mechanism, given = mechanism_of(model), {"operators": torch.ones(3, 3)}
    before = states(model, **given)
    with torch.no_grad():
        mechanism.layers[0].scope.gamma.bias.mul_(-3)
    assert not torch.equal(states(model, **given), before)
    before = states(model, **given)
    mechanism.layers[0].bias.operator_gate.weight.data.add_(2.0)  # leaves no sign, but eval() follows training
    model.eval()
    assert not torch.equal(states(model, **given), before)
    before = states(model, **given)
    mechanism.layers[0].scope.theta = torch.nn.Parameter(torch.full((3,), 0.9))
    assert not torch.equal(states(model, **given), before)


def test_weights_made_in_inference_mode_are_never_cached():
    model = tiny("bert")
    with torch.inference_mode():
        attach(model)
        mechanism_of(model).operators = torch.nn.Parameter(torch.randn(3, 10))
        before = model(**batch(), operators=torch.ones(3, 3)).last_hidden_state.clone()
        mechanism_of(model).operators.mul_(-5.0)
        assert not torch.equal(model(**batch(), operators=torch.ones(3, 3)).last_hidden_state, before)


def test_a_learned_gate_is_traced_and_trained_even_with_given_gates():
    model = attach(tiny("bert"), BoolAttnConfig(gate="learned"))
    for operators in (["not"] * 3, [[]] * 3):
        trace = model(**batch(), operators=operators, trace=True).boolattn
        assert trace.gates[:, 2].tolist() == [float(bool(each)) for each in operators]
        asked = model(**batch(), operators="learned", trace=True).boolattn
        torch.testing.assert_close(trace.gate_logits, asked.gate_logits)
        trace.gate_logits.sum().backward()
        assert mechanism_of(model).gate.ffn[0].weight.grad.any()
        model.zero_grad()
