"""Everything that should learn gets a gradient, and thresholds and spreads really move."""

import pytest
import torch

from boolattn import BoolAttnConfig, attach
from boolattn.backbones.attach.plugin import mechanism_of
from tests.backbones.tiny import batch, tiny

CONFIGS = {
    "given gate": (BoolAttnConfig(), {"operators": torch.ones(3, 3)}),
    "learned gate": (BoolAttnConfig(gate="learned"), {}),
    "additive cues": (BoolAttnConfig(cue_conditioning="additive"), {"operators": torch.ones(3, 3)}),
    "light": (BoolAttnConfig.light(), {"operators": torch.ones(3, 3)}),
}


def retrieval_loss(model, **given) -> torch.Tensor:
    """In-batch contrastive loss of the first token's state against fixed documents."""
    queries = model(**batch(), **given).last_hidden_state[:, 0]
    documents = torch.randn(3, 32, generator=torch.Generator().manual_seed(4))
    return torch.nn.functional.cross_entropy(queries @ documents.T, torch.arange(3))


@pytest.mark.parametrize(("config", "given"), CONFIGS.values(), ids=CONFIGS.keys())
def test_every_weight_gets_a_gradient_from_the_retrieval_loss(encoder, config, given):
    attach(encoder.train(), config)
    retrieval_loss(encoder, **given).backward()
    without = [
        name
        for name, weight in mechanism_of(encoder).named_parameters()
        if weight.grad is None or not weight.grad.abs().sum() > 0
    ]
    assert without == []
    for name in ("operators", "position.sigma") if given else ():  # a learned gate may well close an operator
        grad = mechanism_of(encoder).get_parameter(name).grad
        assert (grad.reshape(3, -1).abs().sum(1) > 0).all(), f"every operator's {name}"


def test_theta_and_sigma_move_in_fifty_steps():
    model = attach(tiny("bert").train())
    mechanism = mechanism_of(model)
    optimizer = torch.optim.AdamW(mechanism.parameters(), lr=1e-2)
    for _ in range(50):
        optimizer.zero_grad()
        retrieval_loss(model, operators=torch.ones(3, 3)).backward()
        optimizer.step()
    theta = torch.stack([predictors.scope.theta for predictors in mechanism.layers]).detach()
    assert (theta - 0.5).abs().min() > 1e-3
    assert (mechanism.position.sigma.detach() - 2).abs().min() > 1e-3


def test_gradient_checkpointing_keeps_gradients_unchanged():
    gradients = []
    for checkpointing in (False, True):
        model = tiny("bert").train()
        for module in model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        torch.manual_seed(3)
        attach(model)
        if checkpointing:
            model.gradient_checkpointing_enable({"use_reentrant": False})
        torch.manual_seed(5)
        retrieval_loss(model, operators=torch.ones(3, 3)).backward()
        gradients.append([weight.grad for weight in mechanism_of(model).parameters()])
    torch.testing.assert_close(gradients[0], gradients[1])


def test_reentrant_checkpointing_is_rejected():
    model = attach(tiny("bert").train())
    model.gradient_checkpointing_enable({"use_reentrant": True})
    with pytest.raises(RuntimeError, match="use_reentrant=False"):
        retrieval_loss(model, operators=torch.ones(3, 3)).backward()


def test_a_closed_learned_gate_can_still_learn_to_open():
    model = attach(tiny("bert").train(), BoolAttnConfig(gate="learned"))
    final = mechanism_of(model).gate.ffn[-1]
    with torch.no_grad():
        final.weight.zero_()
        final.bias.fill_(-0.02)
    output = model(**batch(), trace=True)
    assert not output.boolattn.gates.any()
    output.last_hidden_state[:, 0].sum().backward()
    assert (final.bias.grad.abs() > 0).all()
