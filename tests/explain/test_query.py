import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from boolattn import BoolAttnConfig, DualEncoder
from boolattn.encoders.readout import UNWANTED_STATES
from boolattn.explain.query import explain
from tests.encoders.readers import ReadsHints

QUERY = "movies set in Vietnam but not about war"


@pytest.fixture(scope="module")
def model(minilm_folder):
    return DualEncoder.training_free(str(minilm_folder), strength=4.0, penalty=0.3)


@pytest.fixture(scope="module")
def learned(minilm_folder):
    model = DualEncoder.with_reader(str(minilm_folder), penalty=0.3, rank=0)
    model.tower.reader = ReadsHints()
    return model


@pytest.mark.parametrize("reading", ["model", "learned"])
def test_the_weights_of_the_tokens_make_the_vector(reading, request):
    model = request.getfixturevalue(reading)
    explanation = explain(model, QUERY)
    with torch.inference_mode():
        features = model(model.preprocess([QUERY], task="query"), task="query")
    states = features["token_embeddings"][0].numpy()
    alone = features[UNWANTED_STATES][0].numpy() if reading == "learned" else states
    wanted = np.where(explanation.readout > 0, explanation.readout, 0) @ states
    away = np.where(explanation.readout < 0, -explanation.readout, 0) @ alone
    vector = wanted - 0.3 * np.linalg.norm(wanted) * away / np.linalg.norm(away)
    assert np.allclose(vector / np.linalg.norm(vector), model.encode_query(QUERY), atol=1e-5)
    assert explanation.readout[explanation.tokens.index("war")] == pytest.approx(-0.3, abs=1e-6)


def test_says_that_rules_read_it_and_shows_the_bias_they_set(model):
    explanation = explain(model, QUERY)
    war = explanation.tokens.index("war")
    assert explanation.source == "lexicon"
    assert np.allclose(explanation.biases[:, war, 0], -4.0)
    assert (explanation.attention_after[:, war] < explanation.attention_before[:, war]).all()


def test_a_query_without_operators_is_left_alone(model):
    explanation = explain(model, "war films")
    assert not explanation.changed
    assert np.allclose(explanation.attention_before, explanation.attention_after)
    assert np.allclose(explanation.readout, 1 / len(explanation.tokens))


def test_a_prompt_is_part_of_what_is_read_but_not_of_the_query(minilm_folder):
    plain = SentenceTransformer(str(minilm_folder), prompts={"query": "search not: "})
    explanation = explain(DualEncoder.training_free(plain), QUERY)
    assert len(explanation.readout) == len(explanation.tokens)
    assert explanation.readout[explanation.tokens.index("war")] < 0


def test_a_learned_gate_is_asked(minilm_folder):
    model = DualEncoder.untrained(str(minilm_folder), BoolAttnConfig.light(gate="learned"))
    assert explain(model, QUERY).gates.shape == (3,)


def test_the_caller_may_name_the_operators_and_a_mechanism_is_not_called_rules(minilm_folder):
    model = DualEncoder.untrained(str(minilm_folder))
    explanation = explain(model, QUERY, operators=["not"])
    assert explanation.source == "learned" and explanation.held == ("not",)
    assert not explain(model, QUERY).held  # no gate given, none learned: closed


def test_half_precision_is_explained_too(minilm_folder):
    model = DualEncoder.training_free(str(minilm_folder), penalty=0.3).bfloat16()
    assert explain(model, QUERY).readout.min() == pytest.approx(-0.3, abs=0.01)


def test_a_learned_reading_is_explained_as_the_rules_it_follows(learned, model):
    ours, theirs = explain(learned, QUERY), explain(model, QUERY)
    assert (ours.source, ours.held) == ("learned", ("not",))
    assert np.allclose(ours.readout, theirs.readout, atol=1e-5)
    assert np.allclose(ours.biases, theirs.biases) and np.allclose(
        ours.attention_after, theirs.attention_after, atol=1e-5
    )
    assert not explain(learned, "war films").changed


@pytest.mark.parametrize(("query", "operators"), [("films AND comedy", None), (QUERY, [])])
def test_what_is_settled_and_excludes_nothing_is_explained_too(learned, query, operators):
    assert not explain(learned, query, operators).changed


def test_explicit_syntax_is_not_called_learned(learned):
    assert explain(learned, "films AND comedy NOT war").source == "syntax"
