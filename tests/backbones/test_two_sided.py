"""A query tower that encodes exclusions separately."""

import pickle

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from boolattn import DualEncoder, ReadingOptions
from boolattn.backbones.encodings.bias import TwoSidedEncoding
from boolattn.backbones.labelled_query import LabelledQuery
from boolattn.backbones.signed_pooling import UNWANTED, UNWANTED_STATES, WANTED
from boolattn.reading.caller import caller_reading
from tests.reading.fixed_reader import THRESHOLDS, FixedReader

QUERY = "movies set in Vietnam but not about war"
ORDINARY = ["war films", "1956 debut novels", "birds of Peru and Ecuador", "what is the best way to learn chess"]
UNKNOWN_TO_RULES = "films that pass over war"
WRITTEN = "films AND comedy NOT war"


@pytest.fixture(scope="module")
def bare(start):
    return SentenceTransformer(start)


@pytest.fixture
def model(start):
    return DualEncoder.with_encoding(start, TwoSidedEncoding(), reader="rules").eval()


def words(model, query, marks):
    tokens = model.tokenizer.tokenize(query, add_special_tokens=True)
    return [token for token, mark in zip(tokens, marks.tolist(), strict=False) if mark]


def test_documents_and_ordinary_queries_equal_the_backbones_bit_for_bit(model, bare):
    assert np.array_equal(model.encode_document([*ORDINARY, QUERY]), bare.encode([*ORDINARY, QUERY]))
    assert np.array_equal(model.encode_query(ORDINARY), bare.encode(ORDINARY))


def test_ordinary_queries_in_a_mixed_batch_equal_the_backbones_bit_for_bit(model, bare):
    mixed = [ORDINARY[0], QUERY, *ORDINARY[1:], WRITTEN]
    ours, theirs = model.encode_query(mixed), bare.encode(mixed)
    same = [np.array_equal(*pair) for pair in zip(ours, theirs, strict=True)]
    assert same == [True, False, True, True, True, False]


@pytest.mark.parametrize(("queries", "passes"), [(ORDINARY, 1), ([*ORDINARY, QUERY], 2), ([WRITTEN], 1)])
def test_only_queries_that_exclude_something_are_encoded_again(model, queries, passes):
    calls = []
    model.tower.transformer.auto_model.encoder.register_forward_hook(lambda *_: calls.append(1))
    model.encode_query(queries)
    assert len(calls) == passes


def test_what_is_excluded_is_encoded_separately(model):
    features = model(model.preprocess([QUERY, "war films"], task="query"), task="query")
    assert words(model, QUERY, features[UNWANTED][0]) == ["war"]
    assert not {"but", "not", "war"} & set(words(model, QUERY, features[WANTED][0]))
    war = features[UNWANTED][0].nonzero()[0, 0]
    assert not torch.allclose(features[UNWANTED_STATES][0, war], features["token_embeddings"][0, war], atol=1e-2)
    assert not features[UNWANTED][1].any() and not features[UNWANTED_STATES][1].any()


def test_any_encoding_works_with_any_reader(start, bare):
    model = DualEncoder.with_encoding(start, TwoSidedEncoding(), reader="rules")
    assert model.options == ReadingOptions(reader="rules") and model.read(QUERY).reader == "rules 1"
    assert not np.allclose(model.encode_query([QUERY]), bare.encode([QUERY]), atol=1e-3)


def test_any_reader_may_read(model, bare):
    plain = bare.encode([UNKNOWN_TO_RULES])
    assert np.array_equal(model.encode_query([UNKNOWN_TO_RULES]), plain)
    model.options = ReadingOptions(reader=FixedReader("war", confidence=0.95))
    assert not np.allclose(model.encode_query([UNKNOWN_TO_RULES]), plain, atol=1e-4)
    assert model.read(UNKNOWN_TO_RULES).reader == model.plan(UNKNOWN_TO_RULES).reader == "fixed 7"


@pytest.mark.parametrize(
    ("reader", "options", "acts"),
    [
        (FixedReader("war", confidence=THRESHOLDS["pages"]["balanced"]), {}, False),
        (FixedReader("war", confidence=THRESHOLDS["pages"]["balanced"]), {"strictness": "balanced"}, True),
        (FixedReader("war", kind="property"), {}, False),
        (FixedReader("war", kind="property"), {"documents": "things"}, True),
        (FixedReader("war"), {"act": False}, False),
        (FixedReader("war"), {}, True),
    ],
)
def test_one_function_decides_what_vector_and_plan_act_on(model, bare, reader, options, acts):
    plain = bare.encode([UNKNOWN_TO_RULES])
    once = model.encode_query([UNKNOWN_TO_RULES], reader=reader, **options)
    model.options = ReadingOptions(reader=reader, **options)
    for vectors in (once, model.encode_query([UNKNOWN_TO_RULES])):
        assert np.array_equal(vectors, plain) != acts
    assert bool(model.plan(UNKNOWN_TO_RULES).negatives) == acts
    assert model.read(UNKNOWN_TO_RULES).exclusions  # it is reported all the same


def test_the_caller_can_name_exclusions(model, bare):
    reader = FixedReader("movies")  # would exclude something else
    model.options = ReadingOptions(reader=reader)
    expected = model.encode_readings([caller_reading(QUERY, ["war"])])
    assert np.array_equal(model.encode_query([QUERY], exclude=[["war"]]), expected)
    assert np.array_equal(model.encode_query(QUERY, exclude=["war"]), expected[0])
    assert not reader.queries
    assert np.array_equal(model.encode_query([QUERY, "movies"], exclude=[]), bare.encode([QUERY, "movies"]))
    assert [atom.text for atom in model.plan(QUERY, exclude=["war"]).negatives] == ["war"]
    with pytest.raises(ValueError, match="pass only one"):
        model.encode_query(QUERY, exclude=["war"], operators=[["not"]])


def test_queries_labelled_without_not_exclude_nothing(model, bare):
    plain = caller_reading(QUERY, [])
    labelled = [
        LabelledQuery.of(QUERY, ["and"]), LabelledQuery.of(WRITTEN, []), LabelledQuery.of(QUERY, "not", plain)
    ]  # fmt: skip
    assert np.array_equal(model.encode_query(labelled), bare.encode([str(each) for each in labelled]))
    beside = model.encode_query([labelled[0], LabelledQuery.of(QUERY, "not")])
    assert np.array_equal(beside[0], bare.encode([QUERY, QUERY])[0])
    assert not np.allclose(beside[1], beside[0], atol=1e-3)
    assert np.array_equal(model.encode_query(QUERY, operators=[[]]), bare.encode(QUERY))


def test_minus_and_quotes_are_syntax_on_request(model, bare):
    query = "films -war"
    assert np.array_equal(model.encode_query([query]), bare.encode([query]))
    assert not np.allclose(model.encode_query([query], syntax=True), bare.encode([query]), atol=1e-3)


def test_nothing_of_a_prompt_is_excluded(start):
    plain = SentenceTransformer(start, prompts={"query": "war not: "})
    unread = plain.encode(["war films"], prompt_name="query")
    model = DualEncoder.two_sided(plain, rank=0).eval()
    assert np.array_equal(model.encode_query(["war films"]), unread)
    features = model.preprocess([QUERY], prompt="war not: ", task="query")
    features = model(features, task="query")
    assert words(model, "war not: " + QUERY, features[UNWANTED][0]) == ["war"]
    assert features[UNWANTED][0, 1] == 0  # the prompt's


def test_a_saved_model_is_loaded_again_with_its_readers_name(model, tmp_path):
    torch.nn.init.normal_(model.readout.weigh.weight)
    model.save(str(tmp_path))
    again = DualEncoder(str(tmp_path))
    assert (again.tower.encoding.name, again.options) == ("two-sided", ReadingOptions(reader="rules"))
    queries = [QUERY, *ORDINARY, WRITTEN]
    assert again.encode_query(queries).tobytes() == model.encode_query(queries).tobytes()
    assert again.plan(QUERY) == model.plan(QUERY)
    assert not list((tmp_path / "query_0_BooleanTower").glob("*.safetensors"))


def test_a_custom_reader_is_not_saved_and_this_is_reported(model, tmp_path):
    model.options = ReadingOptions(reader=FixedReader("war"))
    with pytest.warns(UserWarning, match=r"the reader 'fixed 7' is not saved.*set model\.options"):
        model.save(str(tmp_path))
    assert DualEncoder(str(tmp_path)).options.reader is None


def test_a_model_can_be_pickled(model):
    queries = [QUERY, *ORDINARY]
    expected, plan = model.encode_query(queries), model.plan(QUERY)
    again = pickle.loads(pickle.dumps(model))
    assert again.encode_query(queries).tobytes() == expected.tobytes()
    assert again.plan(QUERY) == plan


@pytest.mark.long
def test_queries_can_be_encoded_in_other_processes(model):
    queries = [QUERY, *ORDINARY]
    pool = model.start_multi_process_pool(["cpu"])
    try:
        elsewhere = model.encode_query(queries, pool=pool, exclude=[["Vietnam"], None, None, None, None])
    finally:
        model.stop_multi_process_pool(pool)
    here = model.encode_query(queries, exclude=[["Vietnam"], None, None, None, None])
    assert np.allclose(elsewhere, here, atol=1e-6)


def test_half_precision_excludes_too(start):
    model = DualEncoder.two_sided(SentenceTransformer(start, model_kwargs={"dtype": torch.bfloat16})).eval()
    assert np.isfinite(model.encode_query([QUERY, *ORDINARY], convert_to_tensor=True).float().numpy()).all()


def test_two_sided_encoding_requires_mean_pooling(start):
    plain = SentenceTransformer(start)
    plain[1].pooling_mode = "cls"
    with pytest.raises(ValueError, match=r"mean pooling, not 'cls'.*untrained\(backbone, signed=False\)"):
        DualEncoder.two_sided(plain)


def test_queries_that_are_not_text_are_encoded_by_the_backbone(model, bare):
    assert np.array_equal(model.encode_query([{"text": QUERY}]), bare.encode([{"text": QUERY}]))


def test_a_word_the_tokenizer_does_not_know_can_be_excluded(model):
    features = model(model.preprocess(["films NOT \U00013000"], task="query"), task="query")
    assert words(model, "films NOT \U00013000", features[UNWANTED][0]) == ["[UNK]"]
