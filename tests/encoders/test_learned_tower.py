"""A query tower whose reading was learned."""

import pickle

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from boolattn import DualEncoder
from boolattn.encoders.checksums import ChangedWeightsError
from boolattn.encoders.labelled_query import LabelledQuery
from boolattn.encoders.reading_features import GATES, HINTS, SCOPES, SETTLED, TRACE, exclusions_read
from boolattn.encoders.readout import UNWANTED, WANTED
from boolattn.reading.spans import Span
from boolattn.reading.understanding import Excluded, excluded_by_rules
from tests.encoders.readers import Marks, ReadsHints
from tests.training import small

QUERY = "movies set in Vietnam but not about war"
ORDINARY = ["war films", "1956 debut novels", "birds of Peru and Ecuador", "what is the best way to learn chess"]
UNKNOWN_TO_RULES = "films that pass over war"
WRITTEN = "films AND comedy NOT war"
WAR = Excluded((Span(22, 29),), (Span(36, 39),))  # of QUERY: "but not", "war"


@pytest.fixture(scope="module")
def start(tmp_path_factory, minilm_folder):
    return small.backbone(tmp_path_factory.mktemp("bert"), minilm_folder)


@pytest.fixture(scope="module")
def bare(start):
    return SentenceTransformer(start)


@pytest.fixture
def model(start):
    return DualEncoder.with_reader(start, reader_layers=2, rank=0).eval()


@pytest.fixture
def by_hints(model):
    model.tower.reader = ReadsHints()
    return model


def read(model, queries, **kwargs):
    return model.tower.read(model.preprocess(queries, task="query", **kwargs))


def words(model, query, marks):
    tokens = model.tokenizer.tokenize(query, add_special_tokens=True)
    return [token for token, mark in zip(tokens, marks.tolist(), strict=False) if mark]


def test_a_new_reader_has_no_say_in_the_vectors_of_documents(model, bare):
    texts = [*ORDINARY, QUERY]
    assert np.array_equal(model.encode_document(texts), bare.encode(texts))


def test_ordinary_queries_are_the_backbones_to_the_bit(by_hints, bare):
    assert HINTS in by_hints.preprocess(ORDINARY, task="query")
    assert np.array_equal(by_hints.encode_query(ORDINARY), bare.encode(ORDINARY))


def test_ordinary_queries_beside_such_as_exclude_are_the_backbones_to_the_bit(by_hints, bare):
    mixed = [ORDINARY[0], QUERY, *ORDINARY[1:], WRITTEN]
    ours, theirs = by_hints.encode_query(mixed), bare.encode(mixed)
    same = [np.array_equal(*pair) for pair in zip(ours, theirs, strict=True)]
    assert same == [True, False, True, True, True, False]


def test_what_the_reader_finds_is_what_is_excluded(by_hints):
    queries = [QUERY, *ORDINARY, "restaurants with gardens, without dogs", WRITTEN]
    read = by_hints.encode_query(queries)
    by_hints.tower.reader = None  # nobody asks it
    told = by_hints.encode_query([LabelledQuery.of(query, "not", excluded_by_rules(query)) for query in queries])
    assert np.allclose(read, told, atol=1e-5)


@pytest.mark.parametrize(("queries", "passes"), [(ORDINARY, 1), ([*ORDINARY, QUERY], 2), ([WRITTEN], 1)])
def test_only_a_query_that_excludes_something_costs_a_second_pass(by_hints, queries, passes):
    calls = []
    by_hints.tower.transformer.auto_model.register_forward_hook(lambda *_: calls.append(1))
    by_hints.encode_query(queries)
    assert len(calls) == passes


def test_a_reader_is_trusted_where_it_is_more_likely_right_than_wrong(model, bare):
    plain = bare.encode([UNKNOWN_TO_RULES])
    for gate, changed in ((-0.1, False), (0.1, True)):
        model.tower.reader = Marks(cues=[3, 4], scopes=[5], gate=gate)
        assert np.allclose(model.encode_query([UNKNOWN_TO_RULES]), plain, atol=1e-4) != changed


def test_hints_are_what_the_rules_say(model):
    features = model.preprocess([QUERY, "birds of Peru or Ecuador"], task="query")
    cues, scopes, gates = features[HINTS].chunk(3, dim=-1)
    assert words(model, QUERY, cues[0, :, 2]) == ["but", "not"]
    assert words(model, QUERY, scopes[0, :, 2]) == ["war"]
    assert gates[0].unique(dim=0).tolist() == [[0.0, 0.0, 1.0]]  # the same at every token
    assert gates[1].unique(dim=0).tolist() == [[0.0, 1.0, 0.0]]
    assert words(model, "birds of Peru or Ecuador", cues[1, :, 1]) == ["or"]
    assert features[SETTLED].tolist() == [False, False]


@pytest.mark.parametrize("beside", [[], ["war films"]])
def test_explicit_syntax_needs_no_reader(model, beside):
    model.tower.reader = Marks(cues=[], scopes=[1])  # would exclude the first word of all
    features = model.preprocess([WRITTEN, *beside], task="query")
    assert (HINTS in features) == bool(beside)
    features = model(features, task="query")
    assert words(model, WRITTEN, features[UNWANTED][0]) == ["war"]
    assert words(model, WRITTEN, features[WANTED][0]) == ["[CLS]", "films", "comedy", "[SEP]"]
    if beside:
        assert words(model, beside[0], features[UNWANTED][1]) == ["war"]


@pytest.mark.parametrize("beside", [[], ["war films"]])
def test_the_caller_may_say_what_a_query_excludes(model, beside):
    model.tower.reader = Marks(cues=[], scopes=[1])
    features = model(model.preprocess([LabelledQuery.of(QUERY, "not", WAR), *beside], task="query"), task="query")
    assert words(model, QUERY, features[UNWANTED][0]) == ["war"]
    assert not {"but", "not", "war"} & set(words(model, QUERY, features[WANTED][0]))


def test_a_query_labelled_without_not_excludes_nothing(model, bare):
    model.tower.reader = Marks(cues=[5, 6], scopes=[8])
    labelled = [
        LabelledQuery.of(QUERY, ["and"]), LabelledQuery.of(WRITTEN, []), LabelledQuery.of(QUERY, "not", Excluded())
    ]  # fmt: skip
    assert np.array_equal(model.encode_query(labelled), bare.encode([str(each) for each in labelled]))
    beside = model.encode_query([labelled[0], QUERY])
    assert np.array_equal(beside[0], bare.encode([QUERY, QUERY])[0])
    assert not np.allclose(beside[1], beside[0], atol=1e-3)
    assert np.array_equal(model.encode_query(QUERY, operators=[[]]), bare.encode(QUERY))


def test_a_query_labelled_with_not_opens_the_gate_and_the_reader_finds_what_it_speaks_of(model):
    model.tower.reader = Marks(cues=[5, 6], scopes=[8], gate=-5.0)
    closed = exclusions_read(read(model, [QUERY]))
    opened = exclusions_read(read(model, [LabelledQuery.of(QUERY, "not")]))
    assert (closed.gates.item(), opened.gates.item()) == (0.0, 1.0)
    assert words(model, QUERY, opened.scopes[0, :, 0]) == ["war"]
    assert words(model, QUERY, opened.cues[0, :, 0]) == ["but", "not"]


def test_no_token_in_scope_no_open_gate(model, bare):
    model.tower.reader = Marks(cues=[3, 4], scopes=[])
    assert exclusions_read(read(model, [UNKNOWN_TO_RULES])).gates.item() == 0
    assert np.array_equal(model.encode_query([UNKNOWN_TO_RULES]), bare.encode([UNKNOWN_TO_RULES]))


def test_padding_and_special_tokens_are_never_in_scope(model):
    model.tower.reader = Marks(cues=[], scopes=[2, 3, 9])  # "films", [SEP], padding
    found = exclusions_read(read(model, ["war films", QUERY]))  # of four tokens and of ten
    assert found.scopes[0, :, 0].nonzero()[:, 0].tolist() == [2]


def test_what_was_read_is_left_for_the_losses(by_hints):
    trace = by_hints(by_hints.preprocess([QUERY], task="query"), task="query")[TRACE]
    assert trace.operators == by_hints.tower.operators == ("and", "or", "not")
    assert (trace.gates > 0.5).tolist() == [[False, False, True]]
    assert trace.gate_logits.shape == (1, 3)
    assert trace.cue_logits.shape == trace.cues.shape == (1, 10, 3)
    assert trace.scopes[0].shape == trace.scope_logits[0].shape == (1, 10, 1, 3)
    assert by_hints.tower.has_learned_gate


def test_a_prompt_is_not_of_the_query(start):
    plain = SentenceTransformer(start, prompts={"query": "find not: "})
    model = DualEncoder.with_reader(plain, 2, rank=0).eval()
    model.tower.reader = ReadsHints()
    features = model.preprocess([QUERY], prompt="find not: ", task="query")
    assert words(model, "find not: " + QUERY, features[HINTS][0, :, 2]) == ["but", "not"]
    assert model.plan(QUERY).negatives[0].span.of(QUERY) == "war"


def test_nothing_of_a_prompt_is_excluded(start):
    plain = SentenceTransformer(start, prompts={"query": "find not: "})
    unread = plain.encode([UNKNOWN_TO_RULES], prompt_name="query")
    model = DualEncoder.with_reader(plain, 2, rank=0).eval()
    model.tower.reader = Marks(cues=[2], scopes=[1, 3])  # "not"; "find", ":"
    assert not model.plan(UNKNOWN_TO_RULES).negatives
    assert np.array_equal(model.encode_query([UNKNOWN_TO_RULES]), unread)


@pytest.mark.parametrize("query", [WRITTEN, LabelledQuery.of(QUERY, "not", WAR), LabelledQuery.of(QUERY, [])])
def test_while_it_learns_it_also_reads_what_is_settled_and_heeds_it_not(model, query):
    model.tower.reader = Marks(cues=[], scopes=[1])
    expected = model.encode_query([query])
    model.tower.reads_settled = True
    assert TRACE in model(model.preprocess([query], task="query"), task="query")
    assert np.allclose(model.encode_query([query]), expected, atol=1e-6)


def test_a_saved_model_is_loaded_with_its_reader(start, tmp_path):
    model = DualEncoder.with_reader(start, reader_layers=1)
    torch.nn.init.normal_(model.tower.reader.hints.weight)
    torch.nn.init.normal_(model.readout.move_unwanted[1].weight)
    model.save(str(tmp_path))
    again = DualEncoder(str(tmp_path))
    assert (again.tower.reading, again.tower.reader_layers) == ("learned", 1)
    for mine, theirs in ((model.tower.reader, again.tower.reader), (model.readout, again.readout)):
        weights = theirs.state_dict()
        assert mine.state_dict().keys() == weights.keys()
        assert all(torch.equal(weight, weights[name]) for name, weight in mine.state_dict().items())
    queries = [QUERY, *ORDINARY, WRITTEN]
    assert again.encode_query(queries).tobytes() == model.encode_query(queries).tobytes()
    assert again.plan(QUERY) == model.plan(QUERY)


def test_a_changed_reader_is_refused(model, tmp_path):
    model.save(str(tmp_path))
    path = tmp_path / "query_0_BooleanTower" / "reader.safetensors"
    content = bytearray(path.read_bytes())
    content[-2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ChangedWeightsError, match=r"reader\.safetensors"):
        DualEncoder(str(tmp_path))
    path.unlink()
    with pytest.raises(ChangedWeightsError, match="missing"):
        DualEncoder(str(tmp_path))


def test_a_model_that_has_read_can_be_pickled(model):
    torch.nn.init.normal_(model.tower.reader.of_query.weight)
    queries = [QUERY, *ORDINARY]
    expected, plan = model.encode_query(queries), model.plan(QUERY)
    again = pickle.loads(pickle.dumps(model))
    assert again.encode_query(queries).tobytes() == expected.tobytes()
    assert again.plan(QUERY) == plan


def test_queries_can_be_encoded_in_other_processes(model):
    queries = [QUERY, *ORDINARY]
    pool = model.start_multi_process_pool(["cpu"])
    try:
        elsewhere = model.encode_query(queries, pool=pool)
    finally:
        model.stop_multi_process_pool(pool)
    assert np.allclose(elsewhere, model.encode_query(queries), atol=1e-6)


def test_half_precision_reads_too(start):
    model = DualEncoder.with_reader(SentenceTransformer(start, model_kwargs={"dtype": torch.bfloat16}), 2).eval()
    assert {weight.dtype for weight in model.tower.reader.parameters()} == {torch.bfloat16}
    assert np.isfinite(model.encode_query([QUERY, *ORDINARY], convert_to_tensor=True).float().numpy()).all()


def test_a_reader_needs_a_model_that_pools_by_the_mean(start):
    plain = SentenceTransformer(start)
    plain[1].pooling_mode = "cls"
    with pytest.raises(ValueError, match=r"mean pooling, not 'cls'.*untrained\(backbone, signed=False\)"):
        DualEncoder.with_reader(plain, 2)


def test_queries_that_are_no_text_are_left_to_the_backbone(by_hints, bare):
    assert np.array_equal(by_hints.encode_query([{"text": QUERY}]), bare.encode([{"text": QUERY}]))


def test_what_is_settled_is_no_secret(model):
    features = model.preprocess([WRITTEN, QUERY, LabelledQuery.of(QUERY, "not", WAR)], task="query")
    assert features[SETTLED].tolist() == [True, False, True]
    assert features[GATES].tolist() == [[1.0], [0.0], [1.0]]
    assert words(model, QUERY, features[SCOPES][2, :, 0]) == ["war"]


def test_special_tokens_alone_in_scope_exclude_nothing(model, bare):
    model.tower.reader = Marks(cues=[], scopes=[0])
    assert not model.plan(UNKNOWN_TO_RULES).negatives
    assert np.array_equal(model.encode_query([UNKNOWN_TO_RULES]), bare.encode([UNKNOWN_TO_RULES]))


def test_a_word_the_tokenizer_does_not_know_can_be_excluded(model):
    features = model(model.preprocess(["films NOT \U00013000"], task="query"), task="query")
    assert words(model, "films NOT \U00013000", features[UNWANTED][0]) == ["[UNK]"]
