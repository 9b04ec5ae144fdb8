"""Explanations of models whose attention is not accessible."""

import json

import pytest
from sentence_transformers import SentenceTransformer

from boolattn import DualEncoder
from boolattn.explanation.html import page
from boolattn.explanation.query import explain
from boolattn.explanation.words import word_spans, words_of
from tests.backbones.small import backbone
from tests.explanation.test_terminal import printed
from tests.query_vectors.rewrite import rewrite

QUERY = "movies set in Vietnam but not about war"


@pytest.fixture(scope="module")
def plain(tmp_path_factory, minilm_folder):
    return SentenceTransformer(backbone(tmp_path_factory.mktemp("bert"), minilm_folder))


def test_the_side_of_each_word_is_shown_and_no_attention(plain):
    explanation = explain(plain, QUERY, reader="rules")
    assert {word.text: word.role for word in words_of(explanation)} == {
        **dict.fromkeys(["movies", "set", "in", "Vietnam"], "wanted"),
        "about": "unused",
        **dict.fromkeys(["but", "not"], "cue"),
        "war": "excluded",
    }
    assert explanation.attention_after.shape == (0, 8) and explanation.source == "rules"
    assert 'Excludes "war", because of "but not".' in printed(explanation)
    shown = page(explanation)
    assert "war" in shown and "What was understood" in shown and "Layer by layer" not in shown
    assert json.loads(json.dumps(explanation.to_dict()))["tokens"][-1] == "war"


@pytest.mark.parametrize("said", [{"act": False}, {"exclude": []}, {"operators": []}], ids=str)
def test_what_is_not_acted_on_changes_nothing(plain, said):
    explanation = explain(plain, QUERY, **{"reader": "rules"} | said)
    assert not explanation.changed and (explanation.readout > 0).all()
    assert bool(explanation.reading.not_applied) == ("act" in said)
    assert bool(explanation.cues.any()) == ("act" in said)
    printed(explanation)


@pytest.mark.parametrize(
    "query", [QUERY, "not war films", "anything but Coldplay", "python, but no django or flask", "films"]
)
def test_words_with_a_weight_are_those_that_rewriting_encodes(plain, query):
    explanation, texts = explain(plain, query, reader="rules"), rewrite(query, reader="rules")
    wanted, unwanted = (
        [token for token, weight in zip(explanation.tokens, explanation.readout, strict=True) if sign * weight > 0]
        for sign in (1, -1)
    )
    assert set(unwanted) == {span.of(texts.unwanted) for span in word_spans(texts.unwanted)}
    assert set(wanted) == {span.of(texts.wanted) for span in word_spans(texts.wanted)} - set(unwanted)


def test_an_empty_query_is_explained(plain):
    assert explain(plain, "", reader="rules").tokens == ()


def test_words_that_are_not_in_the_query_are_named(plain):
    for model in (plain, DualEncoder.training_free(plain[0].auto_model.name_or_path)):
        explanation = explain(model, "pasta recipes", exclude={"blue cheese": 2})
        assert explanation.changed and (explanation.readout > 0).all()
        told = printed(explanation)
        assert 'Excludes "blue cheese", which is not in the query.' in told and "- blue cheese" in told
        assert "Nothing was changed" not in told
        shown = page(explanation)
        assert "blue cheese" in shown and "which is not in the query" in shown and "Nothing was changed" not in shown
        assert json.loads(json.dumps(explanation.to_dict()))["reading"]["exclusions"][0]["weight"] == 2
    both = printed(explain(plain, QUERY, exclude=["war", "love"]))
    assert 'Excludes "war", because of "but not".' in both and 'Excludes "love", which is not in the query.' in both
    refused = printed(explain(plain, "pasta", exclude=["cheese"], act=False))
    assert 'Excludes "cheese"' not in refused and 'Not applied: "cheese"' in refused
