"""Three equations, implemented as printed, do not have the effect the paper describes. Ours do."""

import torch

from boolattn.attention import BoolAttention, BoolAttnConfig, Overrides
from boolattn.attention.biases import PositionWeights
from boolattn.attention.cues import CuePredictor


def cue_logits(conditioning: str) -> torch.Tensor:
    config = BoolAttnConfig(cue_conditioning=conditioning)
    predictor, operators = CuePredictor(config, hidden_size=16), torch.randn(3, 10)
    return torch.nn.functional.linear(torch.randn(50, 12, 16), *predictor(operators))  # (B, L, K)


def test_printed_cues_rank_the_same_tokens_for_every_operator():
    logits = cue_logits("additive")
    difference = logits[..., 0] - logits[..., 2]
    torch.testing.assert_close(difference, difference[:1, :1].expand_as(difference))  # one constant for all tokens
    assert difference.abs().max() > 1e-3, "yet the operator did go in"
    assert torch.equal(logits[..., 0].argmax(1), logits[..., 2].argmax(1))


def test_multiplied_cues_distinguish_operators():
    logits = cue_logits("multiplicative")
    assert (logits[..., 0].argmax(1) != logits[..., 2].argmax(1)).float().mean() > 0.5


def printed_negation() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return scores (B, h, L, L), the printed mask (B, h, L, 1), two tokens in scope, and a positive bias (B, h, L)."""
    mask = torch.zeros(2, 4, 6, 1)
    mask[:, :, 3:5] = 1
    return torch.randn(2, 4, 6, 6), mask, torch.rand(2, 4, 6) * 8 + 0.1


def test_printed_negation_with_its_bias_on_the_query_axis_does_nothing():
    scores, mask, bias = printed_negation()
    S = mask * bias[..., :, None]  # Scope_i Bias_i, (B, h, L, 1)
    torch.testing.assert_close((scores - S).softmax(-1), scores.softmax(-1))


def test_printed_negation_with_its_bias_on_the_key_axis_does_not_spare_the_negated_tokens():
    scores, mask, bias = printed_negation()
    S = mask * bias[..., None, :]  # Scope_i Bias_j, (B, h, L, L)
    before, after = scores.softmax(-1), (scores - S).softmax(-1)
    torch.testing.assert_close(after[..., [0, 1, 2, 5], :], before[..., [0, 1, 2, 5], :])  # [CLS] still reads them all
    changed = after[..., 3:5, :] - before[..., 3:5, :]
    assert changed.abs().max() > 1e-2, "the softmax does not cancel this reading"
    assert (changed[..., 3:5] > 0).any(), "even negated tokens receive more attention in places"


def test_negation_on_the_key_axis_lowers_attention_to_the_negated_tokens():
    mechanism = BoolAttention(BoolAttnConfig(operators=("not",)), hidden_size=8, heads=4, layers=1)
    scopes = torch.zeros(2, 6, 1)
    scopes[:, 3:5] = 1
    given = Overrides(gates=torch.ones(2, 1), scopes=scopes, strength=torch.tensor([4.0]))
    states, scores = torch.randn(2, 6, 8), torch.randn(2, 4, 6, 6)
    S = mechanism.bias(0, states, mechanism.begin(states, torch.ones(2, 6), given)).matrix()
    before, after = scores.softmax(-1), (scores + S).softmax(-1)
    assert (after[..., 3:5] < before[..., 3:5]).all()
    assert (after[..., [0, 1, 2, 5]] > before[..., [0, 1, 2, 5]]).all()


def printed_weight(i: int, c: int, sigma: float = 2.0) -> float:
    r = max(0, i - c)
    return float(torch.exp(torch.tensor(-(r**2) / (2 * sigma**2))))


def test_printed_negation_weighs_tokens_before_the_cue_most():
    cue = 4
    before = [printed_weight(i, cue) for i in range(cue)]
    after = [printed_weight(i, cue) for i in range(cue + 1, 9)]
    assert min(before) == 1.0 > max(after), "the tokens that 'not' should leave alone get the full weight"


def test_our_negation_weighs_only_tokens_after_the_cue():
    weights = PositionWeights(BoolAttnConfig(operators=("not",)))
    cue = torch.zeros(1, 9, 1)
    cue[0, 4] = 1
    w = weights.weigh(cue, weights.kernel(9))[0, :, 0]
    assert (w[:4] == 0).all()
    assert (w[5:] > 0).all()
    assert (w[5:].diff() < 0).all()
