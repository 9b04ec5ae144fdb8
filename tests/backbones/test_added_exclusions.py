"""Exclusions whose words are not in the query: a Boolean model encodes and subtracts them by themselves."""

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling

from boolattn import BoolAttnConfig, DualEncoder
from boolattn.backbones.call_options import carrying
from boolattn.explanation.query import explain
from boolattn.reading.caller import caller_reading

QUERY = "movies set in Vietnam but not about war"
PENALTY = 0.3
KINDS = {
    "training-free": lambda start: DualEncoder.training_free(start, penalty=PENALTY),
    "two-sided": lambda start: DualEncoder.two_sided(start, penalty=PENALTY, rank=0),
    "mechanism": lambda start: DualEncoder.untrained(start, penalty=PENALTY),
    "learned gate": lambda start: DualEncoder.untrained(start, BoolAttnConfig.light(gate="learned"), penalty=PENALTY),
}


@pytest.fixture(scope="module")
def plain(start):
    return SentenceTransformer(start)


@pytest.fixture(params=KINDS)
def model(request, start):
    return KINDS[request.param](start).eval()


def states_of(plain, text):
    """Return the states (L, d) of a text's own tokens, as the plain model encodes it."""
    return plain.encode(text, output_value="token_embeddings")[1:-1].numpy()


def subtracted(plain, query, unwanted):
    """Return P - lambda |P|/|N| N: P of the plain query, N the mean over the states of the text that is unwanted."""
    wanted, away = plain.encode(query), states_of(plain, unwanted).mean(axis=0)
    return wanted - PENALTY * np.linalg.norm(wanted) * away / np.linalg.norm(away)


def test_the_words_are_encoded_by_themselves_and_subtracted(model, plain):
    for exclude, text in ((["cheese"], "cheese"), (["blue cheese", "nuts"], "blue cheese nuts")):
        expected = subtracted(plain, "pasta recipes", text)
        assert np.allclose(model.encode_query("pasta recipes", exclude=exclude), expected, atol=1e-5)
    found = model.encode_readings([caller_reading("pasta recipes", ["blue cheese", "nuts"])])
    assert np.allclose(found[0], expected, atol=1e-5)


def test_a_weight_multiplies_what_is_subtracted(model, plain):
    once, twice = (model.encode_query("pasta", exclude={"blue cheese": weight}) for weight in (1, 2))
    bare = plain.encode("pasta")
    assert np.array_equal(once, model.encode_query("pasta", exclude=["blue cheese"]))
    assert np.allclose(twice - bare, 2 * (once - bare), atol=1e-5)
    blue, cheese, nuts = states_of(plain, "blue cheese nuts")
    total = blue + cheese + nuts
    found = model.encode_query("pasta", exclude={"blue cheese": 1, "nuts": 3})
    expected = bare - PENALTY * np.linalg.norm(bare) * (blue + cheese + 3 * nuts) / np.linalg.norm(total)
    assert np.allclose(found, expected, atol=1e-5)


def test_other_queries_of_a_batch_keep_the_plain_vectors_bit_for_bit(model, plain):
    queries = ["war films", "pasta", "birds of Peru and Ecuador"]
    found = model.encode_query(queries, exclude=[[], ["cheese"], []])
    usual = plain.encode(queries)
    assert np.array_equal(found[[0, 2]], usual[[0, 2]])
    assert np.allclose(found[1], subtracted(plain, "pasta", "cheese"), atol=1e-5)
    assert np.allclose(model.encode_query(queries, exclude=[[], ["cheese"], []], batch_size=1), found, atol=1e-5)


@pytest.mark.parametrize("kind", ["training-free", "two-sided"])
def test_words_of_the_query_and_others_are_subtracted_together(kind, start, plain):
    model = KINDS[kind](start).eval()

    def sides(exclude):
        asked = carrying(model.tower.encoding, [caller_reading(QUERY, exclude)])
        features = model.tower(model.preprocess(asked, task="query"))
        return [each[0].detach().numpy() for each in model.readout.sides(features)]

    (wanted, war), (same, both) = sides(["war"]), sides(["war", "blue cheese"])
    assert np.allclose(wanted, same, atol=1e-6), "attention to words of the query is as before"
    expected = (war + states_of(plain, "blue cheese").sum(axis=0)) / 3
    assert np.allclose(both, expected, atol=1e-5)
    found = model.encode_query(QUERY, exclude=["war", "blue cheese"])
    assert np.allclose(
        found, wanted - PENALTY * np.linalg.norm(wanted) * expected / np.linalg.norm(expected), atol=1e-5
    )


@pytest.mark.parametrize("kind", ["training-free", "two-sided"])
def test_a_word_of_the_query_can_have_a_weight(kind, start):
    model = KINDS[kind](start).eval()
    none, once, thrice = (model.encode_query(QUERY, exclude=each) for each in ({"war": 0.001}, ["war"], {"war": 3}))
    assert np.allclose(thrice - none, 3 * (once - none), atol=1e-2)
    assert not np.allclose(thrice, once, atol=1e-2)


def test_a_mechanism_still_finds_the_scope_of_words_in_the_query_itself(start):
    model = KINDS["mechanism"](start)
    with pytest.raises(ValueError, match="exclude= names 'war', but the mechanism"):
        model.encode_query(QUERY, exclude=["war", "cheese"])


def test_a_model_whose_readout_cannot_subtract_says_so(start):
    transformer = SentenceTransformer(start)[0]
    by_cls = SentenceTransformer(modules=[transformer, Pooling(32, pooling_mode="cls")])
    with pytest.raises(ValueError, match=r"words that are not in the query, or weights, but this model subtracts"):
        DualEncoder.training_free(by_cls).encode_query("pasta", exclude=["cheese"])


def test_a_prompt_is_not_part_of_the_words(start, plain):
    model = DualEncoder.training_free(SentenceTransformer(start, prompts={"query": "find not: "}), penalty=PENALTY)
    expected = subtracted(plain, "find not: pasta", "cheese")
    assert np.allclose(model.encode_query("pasta", exclude=["cheese"]), expected, atol=1e-5)


def test_an_explanation_names_the_words(model):
    explanation = explain(model, "pasta recipes", exclude=["blue cheese"])
    assert explanation.changed and explanation.readout.min() > 0
    assert len(explanation.readout) == len(explanation.tokens) == 4
    assert [atom.text for atom in explanation.plan.negatives] == ["blue cheese"]


def test_a_saved_model_subtracts_the_same(start, tmp_path):
    model = KINDS["two-sided"](start)
    torch.nn.init.normal_(model.readout.weigh.weight)
    model.save(str(tmp_path))
    exclude = [{"cheese": 2}]
    assert np.array_equal(
        DualEncoder(str(tmp_path)).encode_query(["pasta"], exclude=exclude),
        model.encode_query(["pasta"], exclude=exclude),
    )
