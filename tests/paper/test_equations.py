"""One hand-computed case per equation."""

import math

import pytest
import torch

from boolattn.attention import BoolAttention, BoolAttnConfig, Overrides
from boolattn.attention.biases import PositionWeights
from boolattn.attention.gates import LearnedGate
from boolattn.attention.relaxations import gumbel_sigmoid, straight_through


def gaussian(r: float, sigma: float = 2.0) -> float:
    return math.exp(-(r**2) / (2 * sigma**2))


def test_position_weights_by_hand():
    weights = PositionWeights(BoolAttnConfig())
    cue = torch.zeros(1, 14, 3)
    cue[0, 6] = 1.0
    w = weights.weigh(cue, weights.kernel(14))[0].detach()
    both = [gaussian(max(-5, min(5, i - 6))) for i in range(14)]
    after = [0.0 if i < 6 else gaussian(i - 6) for i in range(14)]
    torch.testing.assert_close(w, torch.tensor([both, both, after]).T)
    assert w[13, 0] == pytest.approx(gaussian(5)), "and/or stay level beyond the window of 5"
    assert w[13, 2] == pytest.approx(gaussian(7)), "not has no window"


def test_the_strongest_of_several_cues_counts():
    weights = PositionWeights(BoolAttnConfig(operators=("not",)))
    cue = torch.tensor([0.0, 1.0, 0.0, 0.5, 0.0]).reshape(1, 5, 1)
    w = weights.weigh(cue, weights.kernel(5))[0, :, 0]
    expected = [0, 1, gaussian(1), max(gaussian(2), 0.5), max(gaussian(3), 0.5 * gaussian(1))]
    torch.testing.assert_close(w, torch.tensor(expected))


def test_s_boolean_by_hand():
    """Scopes and strength given: S = S_and + S_or - S_not is plain arithmetic."""
    mechanism = BoolAttention(BoolAttnConfig(), hidden_size=4, heads=1, layers=1)
    scopes = torch.zeros(1, 3, 3)
    scopes[0, [0, 1], 0] = 1  # and: tokens 0 and 1
    scopes[0, [1, 2], 1] = 1  # or: tokens 1 and 2
    scopes[0, [2], 2] = 1  # not: token 2
    given = Overrides(gates=torch.ones(1, 3), scopes=scopes, strength=torch.tensor([1.0, 10.0, 100.0]))
    states = torch.randn(1, 3, 4)
    S = mechanism.bias(0, states, mechanism.begin(states, torch.ones(1, 3), given)).matrix()[0, 0]
    torch.testing.assert_close(S, torch.tensor([[1.0, 1.0, -100.0], [1.0, 11.0, -90.0], [0.0, 10.0, -90.0]]))


def test_a_closed_gate_silences_its_operator_alone():
    mechanism = BoolAttention(BoolAttnConfig(), hidden_size=4, heads=1, layers=1)
    given = Overrides(
        gates=torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]),
        scopes=torch.ones(2, 2, 3),
        strength=torch.tensor([1.0, 10.0, 100.0]),
    )
    states = torch.randn(2, 2, 4)
    S = mechanism.bias(0, states, mechanism.begin(states, torch.ones(2, 2), given)).matrix()
    assert (S[0] == 1 - 100).all()
    assert (S[1] == 10).all()


def test_film_and_thresholds_start_as_the_paper_says():
    mechanism = BoolAttention(BoolAttnConfig(), hidden_size=8, heads=2, layers=2)
    for predictors in mechanism.layers:
        scope = predictors.scope
        assert (scope.gamma(mechanism.operators) == 1).all()
        assert (scope.beta(mechanism.operators) == 0).all()
        assert (scope.theta == 0.5).all()
    assert (mechanism.position.sigma == 2).all()
    assert mechanism.operators.shape == (3, 10)


def test_gumbel_sigmoid_fires_half_the_time_at_logit_zero():
    """The noise of a Gumbel-Sigmoid is logistic; with one Gumbel it would fire 1 - 1/e = 0.632 of the time."""
    fired = (gumbel_sigmoid(torch.zeros(200_000), noisy=True) > 0.5).float().mean()
    assert fired == pytest.approx(0.5, abs=0.005)
    fired = (gumbel_sigmoid(torch.full((200_000,), 1.0), noisy=True) > 0.5).float().mean()
    assert fired == pytest.approx(torch.sigmoid(torch.tensor(1.0)).item(), abs=0.005)
    assert torch.equal(gumbel_sigmoid(torch.ones(3), noisy=False), torch.sigmoid(torch.ones(3)))


def test_straight_through_is_hard_forward_and_moves_the_threshold():
    probability = torch.tensor([0.2, 0.5, 0.7], requires_grad=True)
    theta = torch.tensor(0.5, requires_grad=True)
    hard = straight_through(probability, theta)
    assert hard.tolist() == [0.0, 0.0, 1.0]
    hard.sum().backward()
    assert probability.grad.tolist() == [1.0, 1.0, 1.0]
    assert theta.grad == -3.0


def test_the_usual_straight_through_never_moves_the_threshold():
    probability = torch.tensor([0.2, 0.7], requires_grad=True)
    theta = torch.tensor(0.5, requires_grad=True)
    usual = (probability > theta).float() + probability - probability.detach()
    usual.sum().backward()
    assert theta.grad is None


def test_learned_gate_divides_logits_and_ignores_padding():
    gate = LearnedGate(BoolAttnConfig(gate="learned"), hidden_size=4)
    states, mask = torch.randn(1, 3, 4), torch.tensor([[1.0, 1.0, 0.0]])
    gates = gate(states, mask)
    torch.testing.assert_close(gates.logits, gate.ffn(states[:, :2].mean(1)) / 0.1)
    assert set(gates.values.detach().flatten().tolist()) <= {0.0, 1.0}
    torch.testing.assert_close(gates.values.bool(), gates.logits > 0)
