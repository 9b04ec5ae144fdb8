import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from boolattn import BoolAttnConfig, DualEncoder, ReadingOptions
from boolattn.backbones.attach.plugin import mechanism_of
from boolattn.backbones.call_options import Call
from boolattn.backbones.signed_pooling import UNWANTED_STATES
from boolattn.backbones.token_reading import TRACE
from boolattn.explanation.query import explain
from boolattn.explanation.words import in_words, runs_of, words_of
from tests.reading.fixed_reader import FixedReader

QUERY = "movies set in Vietnam but not about war"


@pytest.fixture(scope="module")
def model(minilm_folder):
    model = DualEncoder.training_free(str(minilm_folder), strength=4.0, penalty=0.3)
    model.options = ReadingOptions(reader="rules")
    return model


@pytest.fixture(scope="module")
def two_sided(minilm_folder):
    model = DualEncoder.two_sided(str(minilm_folder), penalty=0.3, rank=0)
    model.options = ReadingOptions(reader="rules")
    return model


@pytest.mark.parametrize("kind", ["model", "two_sided"])
def test_the_weights_of_the_tokens_make_the_vector(kind, request):
    model = request.getfixturevalue(kind)
    explanation = explain(model, QUERY)
    with torch.inference_mode():
        features = model(model.preprocess([QUERY], task="query"), task="query")
    states = features["token_embeddings"][0].numpy()
    alone = features[UNWANTED_STATES][0].numpy() if kind == "two_sided" else states
    wanted = np.where(explanation.readout > 0, explanation.readout, 0) @ states
    away = np.where(explanation.readout < 0, -explanation.readout, 0) @ alone
    vector = wanted - 0.3 * np.linalg.norm(wanted) * away / np.linalg.norm(away)
    assert np.allclose(vector / np.linalg.norm(vector), model.encode_query(QUERY), atol=1e-5)
    assert explanation.readout[explanation.tokens.index("war")] == pytest.approx(-0.3, abs=1e-6)


def test_shows_that_the_rules_read_it_and_the_resulting_bias(model):
    explanation = explain(model, QUERY)
    war = explanation.tokens.index("war")
    assert (explanation.source, explanation.reading.reader) == ("rules", "rules 1")
    assert np.allclose(explanation.biases[:, war, 0], -4.0)
    assert (explanation.attention_after[:, war] < explanation.attention_before[:, war]).all()


def test_a_query_without_operators_is_unchanged(model):
    explanation = explain(model, "war films")
    assert not explanation.changed
    assert np.allclose(explanation.attention_before, explanation.attention_after)
    assert np.allclose(explanation.readout, 1 / len(explanation.tokens))


def test_a_prompt_is_encoded_but_not_part_of_the_query(minilm_folder):
    plain = SentenceTransformer(str(minilm_folder), prompts={"query": "search not: "})
    explanation = explain(DualEncoder.training_free(plain), QUERY)
    assert len(explanation.readout) == len(explanation.tokens)
    assert explanation.readout[explanation.tokens.index("war")] < 0


def test_a_learned_gate_is_used(minilm_folder):
    model = DualEncoder.untrained(str(minilm_folder), BoolAttnConfig.light(gate="learned"))
    assert explain(model, QUERY).gates.shape == (3,)


def test_the_caller_may_name_the_operators_and_a_mechanism_is_not_called_rules(minilm_folder):
    model = DualEncoder.untrained(str(minilm_folder))
    explanation = explain(model, QUERY, operators=["not"])
    assert explanation.source == "mechanism" and explanation.held == ("not",)
    assert not explain(model, QUERY).held  # no gate given, none learned: closed


@pytest.mark.parametrize("gate", ["given", "learned"])
def test_operators_ruled_out_by_the_caller_are_reported(minilm_folder, gate):
    model = DualEncoder.untrained(str(minilm_folder), BoolAttnConfig.light(gate=gate))
    explanation = explain(model, QUERY, operators=[])
    assert (explanation.source, explanation.reading.source, explanation.held) == ("caller", "caller", ())
    assert not explanation.changed and not explanation.plan.negatives
    assert explain(model, QUERY, operators=["and"]).reading.operators == {"and"}


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"operators": []},
        {"operators": ["not"]},
        {"operators": ["or", "not"], "act": False},
        {"exclude": []},
        {"act": False},
        {"reader": "rules"},
    ],
    ids=str,
)
@pytest.mark.parametrize("gate", ["given", "learned"])
def test_the_explanation_matches_the_encoding(minilm_folder, gate, said):
    model = DualEncoder.untrained(str(minilm_folder), BoolAttnConfig.light(gate=gate))
    if gate == "learned":
        torch.nn.init.constant_(mechanism_of(model.tower.encoder).gate.ffn[-1].bias, 5.0)  # opens all
    changes = {name: value for name, value in said.items() if name in ("act", "reader")}
    call = Call.of(model.tower.encoding, model.options, changes)
    asked = call.understand(QUERY, said.get("operators"), said.get("exclude")).asked
    encoded = said | {"operators": [said["operators"]]} if "operators" in said else said
    assert np.array_equal(model.encode_query([asked]), model.encode_query([QUERY], **encoded))
    with torch.inference_mode():
        trace = model(model.preprocess([asked], task="query"), task="query").get(TRACE)
    gates = np.zeros(3) if trace is None else trace.gates[0].double().numpy()
    assert np.array_equal(explain(model, QUERY, **said).gates, gates)


def test_operators_and_exclude_cannot_be_combined(model):
    with pytest.raises(ValueError, match="pass only one"):
        explain(model, QUERY, operators=["not"], exclude=["war"])


def test_half_precision_is_explained_too(minilm_folder):
    model = DualEncoder.training_free(str(minilm_folder), penalty=0.3).bfloat16()
    assert explain(model, QUERY).readout.min() == pytest.approx(-0.3, abs=0.01)


def test_two_sides_are_explained_by_the_same_reading(two_sided, model):
    ours, theirs = explain(two_sided, QUERY), explain(model, QUERY)
    assert ours.held == ("not",) and ours.plan == theirs.plan
    assert np.allclose(ours.readout, theirs.readout, atol=1e-5)
    assert np.allclose(ours.biases, theirs.biases) and np.allclose(
        ours.attention_after, theirs.attention_after, atol=1e-5
    )
    assert not explain(two_sided, "war films").changed


@pytest.mark.parametrize(("query", "operators"), [("films AND comedy", None), (QUERY, [])])
def test_queries_without_exclusions_are_explained_too(model, query, operators):
    assert not explain(model, query, operators).changed


def test_explicit_syntax_is_not_called_rules(model):
    assert explain(model, "films AND comedy NOT war").source == "syntax"


@pytest.mark.parametrize("kind", ["model", "two_sided"])
def test_exclusions_not_acted_on_are_reported(kind, request):
    model = request.getfixturevalue(kind)
    query = "films that are not comedies"
    left_alone = explain(model, query)
    assert not left_alone.changed and not left_alone.plan.negatives
    assert [each.exclusion.span.of(query) for each in left_alone.reading.not_applied] == ["comedies"]
    told = in_words(left_alone, list(runs_of(query, words_of(left_alone))))
    assert told == left_alone.reading.remarks and 'Not applied: "comedies"' in told[0]
    acted_on = explain(model, query, documents="things")
    assert acted_on.changed and acted_on.reading.not_applied == ()
    assert [atom.text for atom in acted_on.plan.negatives] == ["comedies"]
    assert not explain(model, QUERY, act=False).changed


def test_the_caller_may_name_exclusions(model):
    explanation = explain(model, QUERY, exclude=["Vietnam"])
    assert explanation.source == "caller"
    assert explanation.readout[explanation.tokens.index("Vietnam")] < 0
    assert not explain(model, QUERY, exclude=[]).changed
    reader = FixedReader("set")
    assert explain(model, QUERY, reader=reader).reading.reader == "fixed 7"


def test_a_learned_gate_stays_closed_without_acting(minilm_folder):
    model = DualEncoder.untrained(str(minilm_folder), BoolAttnConfig.light(gate="learned"))
    torch.nn.init.constant_(mechanism_of(model.tower.transformer.auto_model).gate.ffn[-1].bias, 5.0)  # opens all
    assert "not" in explain(model, QUERY).held and "not" not in explain(model, QUERY, act=False).held


@pytest.mark.parametrize("kind", ["model", "two_sided"])
def test_only_cues_that_were_read_or_acted_on_are_shown(kind, request):
    model = request.getfixturevalue(kind)
    assert not explain(model, "war films").cues.any()
    assert not explain(model, QUERY, exclude=[]).cues.any()
    query = "films that are not comedies"
    for documents in ("pages", "things"):  # only read, and acted on
        explanation = explain(model, query, documents=documents)
        said = {token for token, cue in zip(explanation.tokens, explanation.cues[:, 0], strict=True) if cue}
        assert "not" in said and not said & {"films", "comedies", "[CLS]", "[SEP]"}


def test_cues_of_operators_whose_gate_is_closed_are_not_shown(minilm_folder):
    model = DualEncoder.untrained(str(minilm_folder))
    cues = explain(model, "birds of Peru", operators=["or"]).cues
    assert cues[:, 1].any() and not cues[:, [0, 2]].any()
