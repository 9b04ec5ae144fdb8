"""The reading of a mechanism: its own gate, cues and scopes, not those of the rules."""

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Transformer

from boolattn import BoolAttnConfig, DualEncoder, ReadingOptions
from boolattn.backbones.attach.plugin import attach, detach, mechanism_of
from boolattn.backbones.token_reading import TRACE
from boolattn.explanation.query import explain

QUERY = "movies set in Vietnam but not about war"
SURE, UNSURE = 0.1 * 8.0, 0.1 * 0.5  # what the gate divides by its temperature


def _with_gate(start, logits, **config):
    model = DualEncoder.untrained(start, BoolAttnConfig(gate="learned", **config)).eval()
    last = mechanism_of(model.tower.transformer.auto_model).gate.ffn[-1]
    torch.nn.init.zeros_(last.weight)
    last.bias.data = torch.tensor(logits)
    return model


def test_the_gate_finds_a_querys_operators(start):
    model = _with_gate(start, [-SURE, SURE, -SURE])
    for query in (QUERY, "war films"):
        assert model.read(query).operators == {"or"}
    assert model.finds_operators


def test_documents_keep_plain_vectors_in_every_kind_of_call(start, monkeypatch):
    plain = SentenceTransformer(start).eval()
    model = _with_gate(start, [SURE, SURE, SURE])

    def call(self, features, **_):  # as sentence-transformers may one day, and so through our hooks
        inputs = {name: features[name] for name in ("input_ids", "attention_mask")}
        return features | {"token_embeddings": self.auto_model(**inputs).last_hidden_state}

    monkeypatch.setattr(Transformer, "forward", call)
    wanted, query = plain.encode(QUERY), model.encode_query(QUERY)
    assert np.array_equal(model.encode_document(QUERY), wanted)
    assert np.array_equal(model.document_encoder().encode(QUERY), wanted)
    assert not np.allclose(query, wanted, atol=1e-3), "the gates are open for queries"


def test_a_gate_on_request_is_closed_unless_requested(start):
    model = _with_gate(start, [SURE, SURE, SURE])
    inputs = model.tower.transformer.preprocess([QUERY])
    inputs = {name: inputs[name] for name in ("input_ids", "attention_mask")}
    encoder = model.tower.encoder
    plain, asked = encoder(**inputs)[0], encoder(**inputs, operators="learned")[0]
    assert torch.equal(plain, encoder(**inputs, operators=[[]])[0])
    assert not torch.allclose(plain, asked, atol=1e-3)
    detach(encoder)
    attach(encoder)
    with pytest.raises(ValueError, match="no gate can open"):
        encoder(**inputs, operators="learned")


def test_cues_and_scopes_are_those_of_the_trace(start):
    model = _with_gate(start, [SURE, SURE, SURE])
    with torch.inference_mode():
        trace = model.tower(model.preprocess([QUERY], task="query"))[TRACE]
    reading, words = model.read(QUERY), QUERY.split()  # each word is one token, after [CLS]
    for marks, found in ((trace.cues[0], reading.cues), (trace.scopes[-1][0].mean(dim=1), reading.scopes)):
        for k, name in enumerate(trace.operators):
            chosen = {word for word, mark in zip(words, marks[1:-1, k].tolist(), strict=True) if mark > 0.5}
            assert chosen == {word for span in found[name] for word in span.of(QUERY).split()}


def test_closed_gates_exclude_nothing(start):
    model = _with_gate(start, [-SURE, -SURE, -SURE])
    assert not model.read(QUERY).operators and not any(model.read(QUERY).scopes.values())
    plan = model.plan(QUERY)
    assert (str(plan.positives[0].text), plan.negatives, plan.source) == (QUERY, (), "mechanism")
    assert plan.reader == model.read(QUERY).reader == "mechanism 1"


def test_the_plan_has_the_confidence_of_its_least_confident_gate(start):
    model = _with_gate(start, [-SURE, UNSURE, -SURE])
    assert model.plan(QUERY).confidence == pytest.approx(torch.sigmoid(torch.tensor(0.5)).item(), abs=1e-4)
    assert model.plan("films NOT war").source == "syntax"


def test_a_mechanism_may_have_a_single_operator(start):
    model = _with_gate(start, [SURE], operators=("not",))
    reading = model.read(QUERY)
    assert reading.operators <= {"not"} and set(reading.cues) == {"and", "or", "not"}
    assert not reading.cues["and"] and not reading.scopes["or"]


def test_nothing_of_a_prompt_is_read(start):
    model = _with_gate(start, [SURE, SURE, SURE])
    model.prompts["query"] = "find not: "
    spans = [
        span for each in (model.read(QUERY).cues, model.read(QUERY).scopes) for row in each.values() for span in row
    ]
    assert all(0 <= span.start < span.end <= len(QUERY) for span in spans)


def test_without_a_gate_it_cannot_replace_the_reader(start):
    model = DualEncoder.untrained(start)
    assert not model.finds_operators
    with pytest.raises(ValueError, match="no learned gate"):
        model.read(QUERY)
    assert model.plan(QUERY).source == "learned"


@pytest.mark.parametrize("logits", [[-SURE, -SURE, SURE], [SURE, SURE, SURE]])
def test_without_acting_every_gate_stays_closed(start, logits):
    model = _with_gate(start, logits)
    plain = model.document_encoder().encode([QUERY])
    assert not np.allclose(model.encode_query([QUERY]), plain, atol=1e-4)
    assert np.array_equal(model.encode_query([QUERY], act=False), plain)
    assert np.array_equal(model.encode_query([QUERY], exclude=[]), plain)
    assert np.array_equal(model.encode_query([QUERY], act=False, operators=[["and", "or", "not"]]), plain)
    assert not explain(model, QUERY, act=False).changed
    assert explain(model, QUERY).changed


def test_the_option_not_to_act_is_the_same_in_a_call_and_in_the_model(start):
    model = _with_gate(start, [-SURE, SURE, SURE])
    acting, expected = model.encode_query([QUERY]), model.encode_query([QUERY], act=False)
    model.options = ReadingOptions(act=False)
    assert np.array_equal(model.encode_query([QUERY]), expected) and not np.allclose(acting, expected, atol=1e-4)
    assert np.array_equal(model.encode_query(QUERY), model.encode_query(QUERY, act=False))
    assert np.array_equal(model.encode_query([QUERY], operators=[["or", "not"]]), expected)
    assert np.allclose(model.encode_query([QUERY], act=True, operators=[["or", "not"]]), acting, atol=1e-5)


def test_a_mechanism_finds_scopes_itself(start):
    with pytest.raises(ValueError, match=r"exclude= names 'war', but the mechanism .* operators=\[\['not'\]\]"):
        _with_gate(start, [-SURE, -SURE, SURE]).encode_query([QUERY], exclude=[["war"]])
