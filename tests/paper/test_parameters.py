"""The paper's parameter counts, without a single weight in memory."""

import pytest
import torch
from transformers import BertConfig, BertModel

from boolattn import BoolAttnConfig, attach

LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}


def millions(config: BoolAttnConfig | None, **sizes) -> float:
    with torch.device("meta"):
        model = BertModel(BertConfig(**sizes))
        if config is not None:
            attach(model, config)
    return sum(weight.numel() for weight in model.parameters()) / 1e6


def test_bert_base_has_the_papers_121_million():
    assert millions(BoolAttnConfig()) == pytest.approx(121, abs=0.5)


def test_bert_large_has_the_papers_378_million():
    assert millions(BoolAttnConfig(), **LARGE) == pytest.approx(378, abs=1.5)


def test_the_light_variant_adds_at_most_two_percent():
    assert 1 < millions(BoolAttnConfig.light()) / millions(None) <= 1.02


def test_sharing_alone_or_a_low_rank_alone_saves_parameters():
    paper = millions(BoolAttnConfig())
    assert millions(BoolAttnConfig(share="layers")) < paper - 10
    assert millions(BoolAttnConfig(bias_rank=16)) < paper - 9
