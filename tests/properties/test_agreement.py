"""eager and sdpa agree; padding is inert; queries of one batch do not see each other's gates."""

import pytest
import torch
from transformers import AutoModel

from boolattn import BoolAttnConfig, attach
from tests.backbones.tiny import FAMILIES, batch, tiny

OPEN = {"operators": [["and", "or", "not"], ["not"], ["or"]]}


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "mpnet"])
@pytest.mark.parametrize("config", [BoolAttnConfig(), BoolAttnConfig.light()], ids=["paper", "light"])
@torch.no_grad()
def test_eager_and_sdpa_agree(family, config):
    outputs = []
    for attention in ("eager", "sdpa"):
        model = tiny(family, attention)
        torch.manual_seed(3)
        outputs.append(attach(model, config)(**batch(), **OPEN).last_hidden_state)
    real = batch()["attention_mask"].bool()
    torch.testing.assert_close(outputs[0][real], outputs[1][real], atol=1e-5, rtol=0)


@torch.no_grad()
def test_padding_is_inert(encoder):
    attach(encoder)
    tokens = batch()
    together = encoder(**tokens, **OPEN).last_hidden_state
    for row, operators in enumerate(OPEN["operators"]):
        length = int(tokens["attention_mask"][row].sum())
        alone = encoder(tokens["input_ids"][row : row + 1, :length], operators=[operators]).last_hidden_state[0]
        embedding = torch.nn.functional.normalize(alone.mean(0), dim=0)
        padded = torch.nn.functional.normalize(together[row, :length].mean(0), dim=0)
        torch.testing.assert_close(padded, embedding, atol=1e-6, rtol=0)


@torch.no_grad()
def test_on_minilm_padding_is_inert_and_eager_matches_sdpa(minilm_folder, minilm_tokenizer):
    texts = ["movies set in Vietnam but not about war", "comedies and musicals", "novels"]
    operators = [["not"], ["and"], ["or"]]
    tokens = minilm_tokenizer(texts, padding=True, return_tensors="pt")
    pooled = {}
    for attention in ("eager", "sdpa"):
        torch.manual_seed(3)
        model = attach(AutoModel.from_pretrained(minilm_folder, attn_implementation=attention).eval())
        states = model(**tokens, operators=operators).last_hidden_state
        mask = tokens["attention_mask"].unsqueeze(-1)
        pooled[attention] = torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1))
        for row, text in enumerate(texts):
            alone = model(**minilm_tokenizer([text], return_tensors="pt"), operators=[operators[row]])
            embedding = torch.nn.functional.normalize(alone.last_hidden_state.mean(1))
            torch.testing.assert_close(pooled[attention][row], embedding[0], atol=1e-6, rtol=0)
    torch.testing.assert_close(pooled["eager"], pooled["sdpa"], atol=1e-5, rtol=0)


@torch.no_grad()
def test_a_closed_query_in_an_open_batch_equals_the_query_alone(encoder):
    tokens = batch()
    bare = encoder(**tokens).last_hidden_state
    attached = attach(encoder)(**tokens, operators=[["not"], [], []]).last_hidden_state
    real = tokens["attention_mask"].bool()
    torch.testing.assert_close(attached[1:][real[1:]], bare[1:][real[1:]], atol=1e-5, rtol=0)
    assert (attached[0] - bare[0]).abs().max() > 1e-3
