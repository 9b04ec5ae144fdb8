import pytest
import torch
from sentence_transformers import SentenceTransformer

from boolattn.backbones.dual_encoder import DualEncoder
from boolattn.backbones.encodings.bias import BiasEncoding
from boolattn.backbones.encodings.registry import load_encoding
from boolattn.backbones.labelled_query import LabelledQuery
from boolattn.backbones.signed_pooling import UNWANTED, WANTED
from boolattn.backbones.token_reading import CUES, GATES, SCOPES

QUERY = "movies set in Vietnam but not about war"


@pytest.fixture(scope="module")
def model(minilm_folder):
    return DualEncoder.training_free(str(minilm_folder))


def words(model, query, marks, prompt=""):
    tokens = model.tokenizer.tokenize(prompt + query, add_special_tokens=True)
    return [token for token, mark in zip(tokens, marks.tolist(), strict=True) if mark]


def test_marks_the_tokens_of_cue_and_scope(model):
    features = model.preprocess([QUERY], task="query")
    assert features[GATES].tolist() == [[1.0]]
    assert words(model, QUERY, features[SCOPES][0, :, 0]) == ["war"]
    assert "not" in words(model, QUERY, features[CUES][0, :, 0])


def test_a_prompt_moves_no_mark(model):
    features = model.preprocess([QUERY], prompt="find not: ", task="query")
    assert words(model, QUERY, features[SCOPES][0, :, 0], "find not: ") == ["war"]
    assert words(model, QUERY, features[CUES][0, :, 0], "find not: ").count("not") == 1


def test_in_a_batch_only_the_queries_that_exclude_are_open(model):
    features = model.preprocess(["war films", QUERY, "1956 debut novels, please, of any kind at all"], task="query")
    assert features[GATES].tolist() == [[0.0], [1.0], [0.0]]
    assert features[SCOPES].shape == (*features["input_ids"].shape, 1)
    assert features[SCOPES][[0, 2]].sum() == 0


def test_nothing_is_added_if_nothing_is_excluded(model):
    assert not {GATES, CUES, SCOPES} & set(model.preprocess(["war films"], task="query"))


def test_documents_are_not_read(model):
    assert not {GATES, CUES, SCOPES} & set(model.preprocess([QUERY], task="document"))


def test_explicit_syntax_is_followed(model):
    query = "films AND comedy NOT war"
    features = model.preprocess([query], task="query")
    assert words(model, query, features[SCOPES][0, :, 0]) == ["war"]
    assert words(model, query, features[CUES][0, :, 0]) == ["and", "not"]


def test_truncated_words_are_not_excluded(model):
    long = "films about dogs " * 200 + "that are not about war"
    assert GATES not in model.preprocess([long], task="query")


def test_wanted_unwanted_and_ignored_tokens_add_up(model):
    features = model(model.preprocess([QUERY, "war films"], task="query"), task="query")
    wanted, unwanted, mask = features[WANTED], features[UNWANTED], features["attention_mask"]
    assert words(model, QUERY, unwanted[0]) == ["war"]
    assert torch.equal(wanted[1], mask[1].float()) and unwanted[1].sum() == 0
    left_out = mask[0].sum() - wanted[0].sum() - unwanted[0].sum()
    assert left_out == features[CUES][0].sum()


def test_negated_words_get_less_attention(model):
    features = model.preprocess([QUERY], task="query")
    plain = model.tower.transformer(dict(features))["token_embeddings"]
    boolean = model.tower(dict(features))["token_embeddings"]
    assert not torch.allclose(plain, boolean, atol=1e-2)


def test_labels_of_some_queries_only_are_refused(minilm_folder):
    model = DualEncoder.untrained(str(minilm_folder))
    with pytest.raises(ValueError, match="all queries of a call, or for none"):
        model.preprocess([LabelledQuery.of("a", ["not"]), "b"], task="query")


def test_the_mechanism_finds_cues_and_scopes_if_a_gate_is_given(minilm_folder):
    model = DualEncoder.untrained(str(minilm_folder))
    features = model.preprocess([LabelledQuery.of(QUERY, "not"), LabelledQuery.of("war", [])], task="query")
    assert features[GATES].tolist() == [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    features = model.tower(features)
    assert features[UNWANTED].shape == features["attention_mask"].shape
    assert torch.equal(features[WANTED][1], features["attention_mask"][1].float())


def test_settings_that_cannot_work_are_refused():
    with pytest.raises(ValueError, match="not one of"):
        load_encoding({"encoding": "guess"})
    with pytest.raises(ValueError, match="must not be negative"):
        BiasEncoding(strength=-1.0)


def test_another_tokenizer_is_reported(model, monkeypatch):
    monkeypatch.setattr(type(model.tokenizer), "is_fast", False)
    with pytest.raises(ValueError, match="fast tokenizer"):
        model.preprocess([QUERY], task="query")


def test_the_backbone_is_untouched_by_its_tower(model, minilm_folder):
    bare = SentenceTransformer(str(minilm_folder))
    names = {name for name, _ in bare.named_parameters()}
    assert {name.split("auto_model.")[-1] for name in names} <= {
        name.split("auto_model.")[-1] for name, _ in model.document_encoder().named_parameters()
    }
