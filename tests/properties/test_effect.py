"""NOT lowers the attention paid to the tokens in its scope; AND raises it between them."""

import pytest
import torch

from boolattn import BoolAttnConfig, attach
from tests.backbones.tiny import FAMILIES, batch, tiny

STRENGTH = 3.0


def first_layer_attention(model, **given) -> torch.Tensor:
    return model(**batch(), output_attentions=True, **given).attentions[0]  # (B, h, L, L)


def scopes(operator: int, tokens: list[int]) -> torch.Tensor:
    scope = torch.zeros(3, 9, 3)
    scope[:, tokens, operator] = 1
    return scope


@pytest.mark.parametrize("family", FAMILIES)
@torch.no_grad()
def test_not_lowers_attention_to_its_scope(family):
    model = attach(tiny(family, "eager"))
    before = first_layer_attention(model)
    after = first_layer_attention(model, operators=["not"] * 3, scopes=scopes(2, [2, 3]), strength=STRENGTH)
    seen = before > 0  # a sliding window or padding hides some pairs from the start
    inside, outside = seen.clone(), seen.clone()
    inside[..., [0, 1, *range(4, 9)]] = False
    outside[..., [2, 3]] = False
    assert (after[inside] < before[inside]).all()
    both = outside & seen[..., [2, 3]].any(-1, keepdim=True)
    assert (after[both] > before[both]).all()


@torch.no_grad()
def test_with_its_sign_flipped_not_raises_attention_to_its_scope():
    model = attach(tiny("bert", "eager"), BoolAttnConfig(not_sign=1))
    before = first_layer_attention(model)[..., [2, 3]]
    given = {"operators": ["not"] * 3, "scopes": scopes(2, [2, 3]), "strength": STRENGTH}
    after = first_layer_attention(model, **given)[..., [2, 3]]
    assert (after[before > 0] > before[before > 0]).all()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("operator", [0, 1], ids=["and", "or"])
@torch.no_grad()
def test_and_raises_attention_between_its_tokens(family, operator):
    model = attach(tiny(family, "eager"))
    before = first_layer_attention(model)
    name = ("and", "or")[operator]
    after = first_layer_attention(model, operators=[name] * 3, scopes=scopes(operator, [1, 3]), strength=STRENGTH)
    for i in range(6):
        if i in (1, 3):
            assert (after[:, :, i, [1, 3]] > before[:, :, i, [1, 3]]).all()
        else:
            assert torch.equal(after[:, :, i], before[:, :, i]), "tokens outside the scope attend as before"


@torch.no_grad()
def test_the_bias_reaches_the_output_in_every_implementation(encoder):
    bare = encoder(**batch()).last_hidden_state
    given = {"operators": ["not"] * 3, "scopes": scopes(2, [2, 3]), "strength": {"not": STRENGTH}}
    attached = attach(encoder)(**batch(), **given).last_hidden_state
    assert (attached - bare).abs().amax((1, 2)).min() > 1e-3


@torch.no_grad()
def test_on_minilm_not_lowers_attention_to_war(minilm_folder, minilm_tokenizer):
    from transformers import AutoModel

    model = attach(AutoModel.from_pretrained(minilm_folder, attn_implementation="eager").eval())
    tokens = minilm_tokenizer("movies set in Vietnam but not about war", return_tensors="pt")
    war = tokens["input_ids"][0].tolist().index(minilm_tokenizer.convert_tokens_to_ids("war"))
    scope = torch.zeros(1, tokens["input_ids"].shape[1], 3)
    scope[0, war, 2] = 1
    before = model(**tokens, output_attentions=True).attentions
    after = model(**tokens, output_attentions=True, operators=["not"], scopes=scope, strength=4.0).attentions
    for layer in range(6):
        assert after[layer][..., war].mean() < before[layer][..., war].mean()
