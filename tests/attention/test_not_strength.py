import pytest
import torch

from boolattn import BoolAttnConfig, attach
from tests.backbones.tiny import batch, tiny


@torch.no_grad()
def _biases(**settings):
    """Return the biases of a new mechanism, at real tokens, for each operator, over ten draws."""
    found = []
    for seed in range(10):
        encoder = tiny("bert")  # seeds for itself
        torch.manual_seed(seed)
        model = attach(encoder, BoolAttnConfig(**settings))
        inputs = batch()
        trace = model(**inputs, operators=torch.ones(3, len(model.boolattn.config.operators)), trace=True).boolattn
        found.append(torch.stack([layer[inputs["attention_mask"].bool()] for layer in trace.biases]))
    return torch.cat(found, dim=1)  # (layers, tokens, h, K)


@pytest.mark.parametrize("settings", [{}, {"share": "layers", "bias_rank": 4}], ids=["none", "layers"])
@pytest.mark.parametrize("strength", [4.0, 2.0])
def test_not_starts_near_not_strength_and_other_operators_are_unchanged(settings, strength):
    plain, told = _biases(**settings), _biases(**settings, not_strength=strength)
    near = told[..., 2].abs()
    assert near.mean().item() == pytest.approx(strength, rel=0.2)
    assert near.min() > strength / 4  # heads differ: what scales them is drawn
    assert torch.equal(plain[0, ..., :2], told[0, ..., :2])  # later layers read other states
    assert max(plain.mean(), told[..., :2].mean()) < 1.2


def test_not_strength_is_ignored_without_not():
    plain, told = (_biases(operators=("and", "or"), not_strength=each) for each in (None, 4.0))
    assert torch.equal(plain, told)
