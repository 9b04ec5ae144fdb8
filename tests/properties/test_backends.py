"""A backend that would drop the bias raises."""

import pytest
import torch

from boolattn import BoolAttnConfig, attach
from boolattn.backbones.attach.backbones import AttentionBackendError
from tests.backbones.tiny import FAMILIES, batch, tiny

DROPPING = ["flex_attention", "flash_attention_2", "flash_attention_3", "paged|sdpa", "somebody's own"]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("attention", DROPPING)
def test_attach_rejects_backends_that_drop_the_bias(family, attention):
    model = tiny(family, "eager")
    model.config._attn_implementation = attention  # set by hand: most of these do not install on a CPU
    with pytest.raises(AttentionBackendError, match="attn_implementation='sdpa'"):
        attach(model)
    assert not hasattr(model, "boolattn")


@pytest.mark.parametrize("config", [BoolAttnConfig(), BoolAttnConfig(gate="learned")], ids=["given", "learned"])
def test_switching_backend_after_attaching_is_detected(config):
    model = attach(tiny("bert"), config)
    model.set_attn_implementation("flex_attention")
    with pytest.raises(AttentionBackendError, match="silently drop"):
        model(**batch(), operators=torch.ones(3, 3))
    model.set_attn_implementation("eager")
    model(**batch(), operators=torch.ones(3, 3))
