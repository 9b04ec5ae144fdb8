"""What a mechanism understands of a query: its own gate, cues and scopes, not those of the rules."""

import numpy as np
import pytest
import torch

from boolattn import BoolAttnConfig, DualEncoder
from boolattn.encoders.attach.plugin import mechanism_of
from boolattn.encoders.readers.reading_features import TRACE
from tests.training import small

QUERY = "movies set in Vietnam but not about war"
SURE, UNSURE = 0.1 * 8.0, 0.1 * 0.5  # what the gate divides by its temperature


@pytest.fixture(scope="module")
def start(tmp_path_factory, minilm_folder):
    return small.backbone(tmp_path_factory.mktemp("bert"), minilm_folder)


def _with_gate(start, logits, **config):
    model = DualEncoder.untrained(start, BoolAttnConfig(gate="learned", **config)).eval()
    last = mechanism_of(model.tower.transformer.auto_model).gate.ffn[-1]
    torch.nn.init.zeros_(last.weight)
    last.bias.data = torch.tensor(logits)
    return model


def test_the_gate_says_which_operators_a_query_holds(start):
    model = _with_gate(start, [-SURE, SURE, -SURE])
    for query in (QUERY, "war films"):
        assert model.read(query).operators == {"or"}
    assert model.finds_operators


def test_cues_and_scopes_are_those_of_the_trace(start):
    model = _with_gate(start, [SURE, SURE, SURE])
    with torch.inference_mode():
        trace = model.tower(model.preprocess([QUERY], task="query"))[TRACE]
    reading, words = model.read(QUERY), QUERY.split()  # each word is one token, after [CLS]
    for marks, found in ((trace.cues[0], reading.cues), (trace.scopes[-1][0].mean(dim=1), reading.scopes)):
        for k, name in enumerate(trace.operators):
            chosen = {word for word, mark in zip(words, marks[1:-1, k].tolist(), strict=True) if mark > 0.5}
            assert chosen == {word for span in found[name] for word in span.of(QUERY).split()}


def test_closed_gates_leave_a_query_whole(start):
    model = _with_gate(start, [-SURE, -SURE, -SURE])
    assert not model.read(QUERY).operators and not any(model.read(QUERY).scopes.values())
    plan = model.plan(QUERY)
    assert (str(plan.positives[0].text), plan.negatives, plan.source) == (QUERY, (), "mechanism")
    assert plan.reader == model.read(QUERY).reader == "mechanism 1"


def test_the_plan_is_as_sure_as_its_least_sure_gate(start):
    model = _with_gate(start, [-SURE, UNSURE, -SURE])
    assert model.plan(QUERY).confidence == pytest.approx(torch.sigmoid(torch.tensor(0.5)).item(), abs=1e-4)
    assert model.plan("films NOT war").source == "syntax"


def test_a_mechanism_may_know_one_operator_alone(start):
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


def test_without_a_gate_it_does_not_answer_for_the_reader(start):
    model = DualEncoder.untrained(start)
    assert not model.finds_operators
    with pytest.raises(ValueError, match="no learned gate"):
        model.read(QUERY)
    assert model.plan(QUERY).source == "learned"


def test_without_acting_the_gate_of_not_stays_closed(start):
    model = _with_gate(start, [-SURE, -SURE, SURE])
    plain = model.document_encoder().encode([QUERY])
    assert not np.allclose(model.encode_query([QUERY]), plain, atol=1e-4)
    assert np.allclose(model.encode_query([QUERY], act=False), plain, atol=1e-6)
    assert np.allclose(model.encode_query([QUERY], exclude=[]), plain, atol=1e-6)


def test_a_mechanism_finds_scopes_by_itself(start):
    with pytest.raises(ValueError, match=r"exclude= names 'war', but the mechanism .* operators=\[\['not'\]\]"):
        _with_gate(start, [-SURE, -SURE, SURE]).encode_query([QUERY], exclude=[["war"]])
