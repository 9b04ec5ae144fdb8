"""The fast mechanism against the literal transcription."""

import pytest
import torch

from boolattn.attention import BoolAttention, BoolAttnConfig, Overrides
from tests.paper import reference

VARIANTS = {
    "paper": BoolAttnConfig(),
    "additive cues": BoolAttnConfig(cue_conditioning="additive"),
    "light": BoolAttnConfig.light(bias_rank=3),
    "only not": BoolAttnConfig(operators=("not",)),
    "another order": BoolAttnConfig(operators=("not", "and"), window=2, sigma=1.0, theta=0.4),
}


def shaken(mechanism: BoolAttention) -> BoolAttention:
    """Move every weight off its special starting value (gamma = 1, beta = 0, sigma = 2, scale = 1)."""
    with torch.no_grad():
        for weight in mechanism.parameters():
            weight.add_(torch.randn_like(weight) * 0.3)
        for predictors in mechanism.layers:
            predictors.scope.theta.clamp_(0.2, 0.8)
    return mechanism.eval()


@pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS.keys())
@torch.no_grad()
def test_fast_mechanism_matches_the_reference(config):
    mechanism = shaken(BoolAttention(config, hidden_size=8, heads=2, layers=2))
    lengths, longest = (7, 4, 1), 7
    mask = torch.tensor([[token < length for token in range(longest)] for length in lengths]).float()
    first, second = torch.randn(3, longest, 8), torch.randn(3, longest, 8)
    gates = torch.randint(0, 2, (3, len(config.operators))).float()
    gates[0] = 1
    context = mechanism.begin(first, mask, Overrides(gates=gates))
    for layer, states in ((0, first), (1, second)):
        fast = mechanism.bias(layer, states, context).matrix()
        assert fast.abs().max() > 0.1
        for row, length in enumerate(lengths):
            slow = reference.s_boolean(mechanism, layer, first[row, :length], states[row, :length], gates[row])
            torch.testing.assert_close(fast[row, :, :length, :length], slow, atol=1e-5, rtol=1e-5)
            assert (fast[row, :, :, length:] == 0).all(), "padding must be out of every scope"


@torch.no_grad()
def test_trace_matches_the_reference():
    mechanism = shaken(BoolAttention(BoolAttnConfig(), hidden_size=8, heads=2, layers=1))
    states = torch.randn(1, 6, 8)
    context = mechanism.begin(states, torch.ones(1, 6), Overrides(gates=torch.ones(1, 3)), trace=True)
    mechanism.bias(0, states, context)
    for k in range(3):
        p_c = reference.cue_probabilities(mechanism, states[0], k)
        torch.testing.assert_close(context.trace.cues[0, :, k], p_c)
        torch.testing.assert_close(
            context.trace.scopes[0][0, :, :, k].T, reference.scope(mechanism, 0, states[0], p_c, k)
        )
        torch.testing.assert_close(
            context.trace.biases[0][0, :, :, k].T, reference.bias(mechanism, 0, states[0], p_c, k)
        )
