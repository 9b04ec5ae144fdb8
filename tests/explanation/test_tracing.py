import numpy as np
import pytest
import torch
from transformers import AutoModel

from boolattn import BoolAttnConfig, attach
from boolattn.explanation.tracing import attention_received, explain_tokens
from boolattn.reading.rules.rule_reader import read_by_rules
from tests.backbones.tiny import batch, tiny
from tests.explanation.queries import PLAIN, VIETNAM

ONE = {name: value[:1] for name, value in batch().items()}  # nine tokens, no padding
NEGATED = torch.zeros(1, 9, 3)
NEGATED[0, 4, 2] = 1
GIVEN = {"operators": [["not"]], "scopes": NEGATED, "strength": {"not": 4.0}}


def test_every_family_returns_its_attention(encoder):
    bare = tiny(encoder.config.model_type, "eager")(**ONE, output_attentions=True).attentions
    before, after, trace = attention_received(attach(encoder), ONE, **GIVEN)
    assert before.shape == after.shape == (3, 9)
    np.testing.assert_allclose(before, [weights[0].mean((0, 1)).tolist() for weights in bare], atol=1e-6)
    np.testing.assert_allclose(after.sum(1), 1, atol=1e-5)
    assert (after[:, 4] < before[:, 4] / 3).all()
    assert len(trace.scopes) == 3


def test_the_usual_attention_comes_back_even_after_an_error():
    model = attach(tiny("bert", "sdpa"))
    attention_received(model, ONE, **GIVEN)
    assert model.config._attn_implementation == "sdpa"
    with pytest.raises(ValueError, match="unknown operator"):
        attention_received(model, ONE, operators=[["nor"]])
    assert model.config._attn_implementation == "sdpa"


def test_a_learned_gate_is_closed_before():
    model = attach(tiny("bert"), BoolAttnConfig(gate="learned"))
    torch.nn.init.constant_(model.boolattn.gate.ffn[-1].bias, 5.0)  # opens every gate
    bare = attention_received(attach(tiny("bert")), ONE, operators=[[]]).after
    before, after, trace = attention_received(model, ONE)
    assert trace.gates.all()
    np.testing.assert_array_equal(before, bare)
    assert np.abs(after - before).max() > 0.01


def test_misuse_is_reported():
    model = tiny("bert")
    with pytest.raises(ValueError, match=r"attach\(model\) first"):
        attention_received(model, ONE, **GIVEN)
    attach(model)
    with pytest.raises(ValueError, match="one query at a time"):
        attention_received(model, batch(2), operators=[[], []])
    padded = {name: value[1:2] for name, value in batch().items()}
    with pytest.raises(ValueError, match="without padding"):
        attention_received(model, padded, operators=[[]])
    with pytest.raises(ValueError, match=r"model\.eval\(\) first"):
        attention_received(model.train(), ONE, **GIVEN)


def test_what_the_mechanism_did_to_a_real_query(explain):
    told = explain(VIETNAM)
    assert told.tokens == ("[CLS]", "movies", "set", "in", "Vietnam", "but", "not", "about", "war", "[SEP]")
    assert told.spans[8] == (36, 39) and told.spans[0] == told.spans[9] == (0, 0)
    assert told.held == ("not",)
    np.testing.assert_array_equal(told.biases[:, [5, 6, 8], 2], -4)  # signed, as added to the scores
    assert np.count_nonzero(told.biases) == np.count_nonzero(told.scopes) == 6 * 3
    assert (told.attention_after[:, 8] < told.attention_before[:, 8] / 5).all()


def test_without_an_operator_nothing_changes(explain):
    told = explain(PLAIN)
    np.testing.assert_array_equal(told.attention_after, told.attention_before)
    assert told.scopes.shape == told.biases.shape == (6, 6, 3)
    assert not (told.scopes.any() or told.biases.any() or told.gates.any() or told.changed)


def test_predicted_scopes_are_means_over_heads_and_biases_signed(minilm_folder, minilm_tokenizer):
    model = attach(AutoModel.from_pretrained(minilm_folder).eval())
    encoding = minilm_tokenizer(VIETNAM, return_tensors="pt")
    told = tell(model, VIETNAM, encoding, operators=[["and", "not"]])
    with torch.no_grad():
        trace = model(**encoding, operators=[["and", "not"]], trace=True).boolattn
    np.testing.assert_allclose(told.scopes[3], trace.scopes[3][0].mean(1), atol=1e-6)
    expected = (trace.scopes[3] * trace.biases[3])[0].mean(1) * torch.tensor([1, 0, -1])
    np.testing.assert_allclose(told.biases[3], expected, atol=1e-4)
    np.testing.assert_allclose(told.cues[:, [0, 2]], trace.cues[0][:, [0, 2]], atol=1e-6)
    assert np.abs(told.cues[:, [0, 2]]).max() > 0


def test_unused_cues_are_not_shown(minilm_folder, minilm_tokenizer):
    model = attach(AutoModel.from_pretrained(minilm_folder).eval())
    encoding = minilm_tokenizer(VIETNAM, return_tensors="pt")
    assert not tell(model, VIETNAM, encoding, operators=[["not"]], scopes=torch.ones(1, 10, 3), strength=1.0).cues.any()


def test_a_prompt_is_not_part_of_the_query(minilm_folder, minilm_tokenizer):
    model = attach(AutoModel.from_pretrained(minilm_folder).eval())
    encoding = minilm_tokenizer("query: " + VIETNAM, return_tensors="pt")
    told = tell(model, VIETNAM, encoding, prompt="query: ", operators=[[]])
    assert told.tokens[:4] == ("[CLS]", "query", ":", "movies")
    assert told.spans[:4] == ((0, 0), (0, 0), (0, 0), (0, 6))


def tell(model, query, encoding, **given):
    readout = np.ones(encoding["input_ids"].shape[1])
    reading = read_by_rules(query)
    return explain_tokens(
        model, query, encoding, source="learned", reading=reading, plan=reading.plan(), readout=readout, **given
    )
