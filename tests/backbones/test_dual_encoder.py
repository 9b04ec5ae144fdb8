import json
from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Router
from sentence_transformers.sentence_transformer.modules import Pooling

from boolattn import BoolAttnConfig, DualEncoder, explain, signed_vectors
from boolattn.backbones.signed_pooling import SignedPooling
from boolattn.backbones.storage.checksums import ChangedWeightsError, write_checksums
from boolattn.backbones.storage.fingerprint import document_fingerprint
from boolattn.backbones.storage.model_names import UnknownModelError, load_encoder
from boolattn.explanation.html import page
from tests.forked import run_python
from tests.reading.fixed_reader import FixedReader

QUERY = "movies set in Vietnam but not about war"
ORDINARY = ["war films", "1956 debut novels", "birds of Peru and Ecuador", "what is the best way to learn chess"]
DOCUMENTS = ["A love story in the streets of Hanoi.", "A platoon fights its way through the jungle of Vietnam."]


@pytest.fixture(scope="module")
def model(by_rules):
    return by_rules


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    model.save(str(folder))
    return folder


def test_ordinary_queries_and_documents_equal_the_backbones_bit_for_bit(model, bare):
    assert np.array_equal(model.encode_query(ORDINARY), bare.encode(ORDINARY))
    assert np.array_equal(model.encode_document([*DOCUMENTS, QUERY]), bare.encode([*DOCUMENTS, QUERY]))


def test_ordinary_queries_in_a_mixed_batch_equal_the_backbones_batch(model, bare):
    mixed = [*ORDINARY, QUERY]
    ours, theirs = model.encode_query(mixed), bare.encode(mixed)
    assert np.array_equal(ours[:-1], theirs[:-1]) and not np.allclose(ours[-1], theirs[-1], atol=1e-3)


def test_not_reverses_the_ranking(model, bare):
    plain = bare.similarity(bare.encode([QUERY]), bare.encode(DOCUMENTS))[0]
    boolean = model.similarity(model.encode_query([QUERY]), model.encode_document(DOCUMENTS))[0]
    assert plain[1] > plain[0] and boolean[0] > boolean[1]


def test_the_caller_can_give_a_querys_operators(model, bare):
    closed = model.encode_query([QUERY, QUERY], operators=[[], ["not"]])
    assert np.allclose(closed[0], bare.encode(QUERY), atol=1e-6)
    assert np.allclose(closed[1], model.encode_query(QUERY), atol=1e-6)
    assert np.array_equal(model.encode_query(QUERY, operators=[[]]), bare.encode(QUERY))
    with pytest.raises(ValueError):
        model.encode_query([QUERY, QUERY], operators=[["not"]])


def test_operators_and_options_of_reading_can_be_given_together(model, bare):
    reader = FixedReader("Vietnam")
    expected, usual = model.encode_query([QUERY, QUERY], reader=reader), bare.encode([QUERY, QUERY])
    found = model.encode_query([QUERY, QUERY], operators=[["not"], []], reader=reader)
    assert np.allclose(found, [expected[0], usual[1]], atol=1e-6)
    assert not np.allclose(found[0], model.encode_query([QUERY, QUERY])[0], atol=1e-3)
    assert np.array_equal(model.encode_query([QUERY, QUERY], operators=[["not"], []], act=False), usual)


def test_labels_follow_their_query_through_sorting_and_batching(minilm_folder):
    model = DualEncoder.untrained(str(minilm_folder))
    texts = [("film " * n).strip() for n in (9, 2, 7, 1, 5, 3)]
    labels = [["not"] if n % 2 else [] for n in range(len(texts))]
    together = model.encode_query(texts, operators=labels, batch_size=2)
    alone = [model.encode_query(text, operators=[label]) for text, label in zip(texts, labels, strict=True)]
    assert np.allclose(together, np.stack(alone), atol=1e-5)


def test_the_plan_names_its_source(model):
    plan = model.plan(QUERY)
    assert [atom.text for atom in plan.positives] == ["movies set in Vietnam"]
    assert [atom.text for atom in plan.negatives] == ["war"]
    assert (plan.source, plan.reader) == ("rules", "rules 1")


def test_a_fresh_process_loads_the_same_model_both_ways(model, saved):
    script = (
        "import sys, numpy as np\nfrom sentence_transformers import SentenceTransformer\n"
        "from boolattn import DualEncoder\n"
        "for model in (DualEncoder(sys.argv[1]), SentenceTransformer(sys.argv[1], trust_remote_code=True)):\n"
        "    np.save(sys.argv[2], model.encode_query(sys.argv[3:])); print(np.load(sys.argv[2]).tobytes().hex())"
    )
    texts = [QUERY, *ORDINARY]
    printed = run_python("-c", script, str(saved), str(saved / "vectors.npy"), *texts).stdout.split()
    assert printed == [model.encode_query(texts).tobytes().hex()] * 2


def test_sentence_transformers_alone_requires_trust_to_import_us(saved):
    with pytest.raises(ValueError, match="trust_remote_code"):
        SentenceTransformer(str(saved))


def test_the_folder_contains_no_pickle_and_the_backbone_once(saved, minilm_folder):
    files = [path for path in saved.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} <= {".json", ".safetensors", ".md", ".txt", ".npy"}
    backbone = (minilm_folder / "model.safetensors").stat().st_size
    assert sum(path.stat().st_size for path in files) < 1.1 * backbone
    assert "BooleanTower" in (saved / "README.md").read_text()


@pytest.mark.parametrize(
    "name", ["document_0_Transformer/model.safetensors", "query_1_SignedPooling/model.safetensors"]
)
def test_changed_weights_are_refused(model, tmp_path, name):
    def load_after(change):
        model.save(str(tmp_path))
        path = tmp_path / name
        change(path)
        for load in (DualEncoder, lambda folder: SentenceTransformer(folder, trust_remote_code=True)):
            with pytest.raises(ChangedWeightsError, match=name):
                load(str(tmp_path))

    def tamper(path: Path):
        content = bytearray(path.read_bytes())
        content[-2] ^= 1
        path.write_bytes(content)

    load_after(tamper)
    load_after(lambda path: path.write_bytes(path.read_bytes()[:-100]))
    load_after(Path.unlink)


def test_an_adapter_is_saved_separately_and_loaded_again(minilm_folder, tmp_path):
    model = DualEncoder.untrained(str(minilm_folder), BoolAttnConfig.light(gate="learned"))
    model.save(str(tmp_path))
    assert (tmp_path / "query_0_BooleanTower" / "boolattn.safetensors").exists()
    again = DualEncoder(str(tmp_path))
    assert np.array_equal(again.encode_query([QUERY]), model.encode_query([QUERY]))
    assert again.tower.operators == ("and", "or", "not")


def test_without_the_signed_readout_the_model_is_the_papers(minilm_folder):
    model = DualEncoder.untrained(str(minilm_folder), signed=False)
    assert type(model.readout) is Pooling
    assert isinstance(DualEncoder.untrained(str(minilm_folder)).readout, SignedPooling)


def test_the_document_tower_is_known_as_the_backbone(model, bare):
    assert document_fingerprint(model) == document_fingerprint(bare)


def test_a_model_that_does_not_pool_by_the_mean_gets_the_bias_alone(minilm_folder, bare):
    plain = SentenceTransformer(str(minilm_folder))
    plain[1].pooling_mode = "cls"
    before = plain.encode(QUERY)
    model = DualEncoder.training_free(plain)
    assert type(model.readout) is Pooling
    assert np.array_equal(model.encode_document(QUERY), before)
    assert not np.allclose(model.encode_query(QUERY), before, atol=1e-3)


def test_a_plain_model_is_not_mistaken_for_a_boolean_one(minilm_folder):
    with pytest.raises(ValueError, match="training_free"):
        DualEncoder(str(minilm_folder))


def test_a_plain_model_with_routes_is_not_mistaken_for_a_damaged_boolean_one(minilm_folder, tmp_path):
    plain = SentenceTransformer(str(minilm_folder))
    router = Router({"query": list(plain.children()), "document": list(plain.children())}, default_route="document")
    SentenceTransformer(modules=[router]).save(str(tmp_path))
    with pytest.raises(ValueError, match=r"is a plain embedding model.*starts with Transformer and Pooling"):
        DualEncoder(str(tmp_path))
    assert not isinstance(load_encoder(str(tmp_path)), DualEncoder)


def test_prompts_and_similarity_are_kept(minilm_folder, tmp_path):
    plain = SentenceTransformer(str(minilm_folder), prompts={"query": "query: "}, similarity_fn_name="dot")
    expected = plain.encode_query(ORDINARY)
    model = DualEncoder.training_free(plain)
    model.save(str(tmp_path))
    for each in (model, DualEncoder(str(tmp_path))):
        assert np.array_equal(each.encode_query(ORDINARY), expected)
        assert each.similarity_fn_name == "dot"


def test_save_pretrained_of_an_attached_encoder_excludes_the_adapter(model, tmp_path):
    encoder = model.tower.transformer.auto_model
    encoder.save_pretrained(tmp_path)
    from safetensors import safe_open

    with safe_open(tmp_path / "model.safetensors", "pt") as weights:
        assert not [name for name in weights.keys() if "boolattn" in name]  # noqa: SIM118
    assert json.loads((tmp_path / "config.json").read_text())["model_type"] == "bert"


def test_one_setting_is_one_number(minilm_folder):
    weak = DualEncoder.training_free(str(minilm_folder), strength=0.0, penalty=1e-6)
    plain = weak.document_encoder()
    assert not np.allclose(weak.encode_query(QUERY), plain.encode(QUERY), atol=1e-3)  # the cue is still excluded
    assert torch.isclose(weak.readout.weight_of(torch.randn(1, 384)), torch.tensor(1e-6), atol=1e-7).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_backbones_exclude_too(minilm_folder, model, dtype, tmp_path):
    half = DualEncoder.training_free(SentenceTransformer(str(minilm_folder), model_kwargs={"dtype": dtype}))
    half.save(str(tmp_path))
    for each in (half, DualEncoder(str(tmp_path))):
        vector = each.encode_query(QUERY, convert_to_tensor=True).float()
        assert torch.cosine_similarity(vector, torch.tensor(model.encode_query(QUERY)), dim=0) > 0.99


@pytest.mark.parametrize(
    ("operators", "error", "says"),
    [
        ([["nott"]], ValueError, "unknown operators"),
        ([["NOT"]], ValueError, "unknown operators"),
        ("not", TypeError, "one entry per query"),
        ([["not"], []], ValueError, "1 queries, but operators for 2"),
    ],
)
def test_invalid_operators_are_refused(model, operators, error, says):
    with pytest.raises(error, match=says):
        model.encode_query([QUERY], operators=operators)


def test_one_backbone_is_not_made_boolean_twice(minilm_folder):
    plain = SentenceTransformer(str(minilm_folder))
    model = DualEncoder.training_free(plain)
    with pytest.raises(ValueError, match="already has a mechanism"):
        DualEncoder.untrained(plain)
    with pytest.raises(ValueError, match="already Boolean"):
        DualEncoder.training_free(model)


def test_the_backbones_maximum_length_is_respected(model, bare):
    short = {"text": {"max_length": 8}}
    vectors = model.encode_query([QUERY, "war films"], processing_kwargs=short)
    assert np.allclose(vectors, bare.encode([QUERY, "war films"], processing_kwargs=short), atol=1e-6)


def test_inputs_that_are_not_text_are_encoded_by_the_backbone(model, bare):
    assert np.allclose(model.encode_query([{"text": QUERY}]), bare.encode([{"text": QUERY}]), atol=1e-6)


def test_a_prompt_that_the_backbone_does_not_pool_is_not_pooled(minilm_folder):
    plain = SentenceTransformer(str(minilm_folder), prompts={"query": "an instruction that says much: "})
    plain[1].include_prompt = False
    model = DualEncoder.training_free(plain)
    features = model(model.preprocess([QUERY], prompt=model.prompts["query"], task="query"), task="query")
    counted = model.readout.counted(features)[0]
    assert counted[: features["prompt_length"]].sum() == 0 and counted.sum() > 0


def test_neighbouring_folders_are_not_the_models_weights(model, tmp_path):
    model.save(str(tmp_path / "checkpoint-10"))
    model.save(str(tmp_path))
    (tmp_path / "checkpoint-10" / "document_0_Transformer" / "model.safetensors").unlink()
    assert np.array_equal(DualEncoder(str(tmp_path)).encode_query(QUERY), model.encode_query(QUERY))


def test_a_folder_without_checksums_is_refused(saved, tmp_path):
    plain = SentenceTransformer(str(saved), trust_remote_code=True)
    plain.save(str(tmp_path))  # sentence-transformers alone writes none
    with pytest.raises(ChangedWeightsError, match=r"no boolattn_checksums\.json.*save it from a DualEncoder"):
        DualEncoder(str(tmp_path))
    with pytest.raises(UnknownModelError, match="no boolattn_checksums"):
        load_encoder(str(tmp_path))
    DualEncoder(modules=list(plain)).save(str(tmp_path))
    assert isinstance(load_encoder(str(tmp_path)), DualEncoder)


def test_no_code_of_a_folder_is_run_unless_it_is_trusted(model, tmp_path):
    ran = tmp_path / "ran"
    folder = tmp_path / "model"
    model.save(str(folder))
    (folder / "modeling_evil.py").write_text(
        f"open({str(ran)!r}, 'w').close()\nfrom boolattn.backbones.query_tower import BooleanTower as Evil\n"
    )
    routes = folder / "router_config.json"
    routes.write_text(routes.read_text().replace("boolattn.backbones.query_tower.BooleanTower", "modeling_evil.Evil"))
    write_checksums(folder)  # whoever changes a file can change its checksum
    for load in (DualEncoder, SentenceTransformer, load_encoder):
        with pytest.raises(ValueError):
            load(str(folder))
        assert not ran.exists()
    SentenceTransformer(str(folder), trust_remote_code=True)
    assert ran.exists()  # as the documentation warns


def test_models_that_cannot_be_made_boolean_say_why(minilm_folder):
    plain = SentenceTransformer(modules=[SentenceTransformer(str(minilm_folder))[0]])
    with pytest.raises(ValueError, match="starts with Transformer and Pooling"):
        DualEncoder.training_free(plain)
    with pytest.raises(ValueError, match="folder of a saved Boolean model"):
        DualEncoder()
    by_cls = SentenceTransformer(str(minilm_folder))
    by_cls[1].pooling_mode = "cls"
    with pytest.raises(ValueError, match="signed=False"):
        DualEncoder.untrained(by_cls)


@pytest.mark.parametrize("name", ["", "training-free:", "training-free:no-such-model"])
def test_unknown_names_are_reported(name):
    with pytest.raises(UnknownModelError, match="cannot load"):
        load_encoder(name)


@pytest.mark.parametrize("operators", [None, [["not"]], [[]]])
def test_half_a_surrogate_pair_is_refused(model, operators):
    with pytest.raises(ValueError, match="not valid Unicode"):
        model.encode_query(["films without \ud800"], operators=operators)
    with pytest.raises(ValueError, match="not valid Unicode"):
        explain(model, "films without \ud800")


def test_a_query_over_the_length_limit_gets_the_plain_vector(model, bare):
    long = "films without war, " + "and more about cats " * 300
    assert np.array_equal(model.encode_query(long), bare.encode(long))
    assert "6,019 characters" in model.read(long).unread_reason
    assert "Not read: it has 6,019 characters" in page(explain(model, long))


def test_an_exclusion_without_words_changes_nothing(model, bare):
    queries = ["films without \N{PARTY POPPER}", "C ++ films"]
    exclude = [["\N{PARTY POPPER}"], ["++"]]
    assert all(model.read(query, said).exclusions for query, said in zip(queries, exclude, strict=True))
    assert np.array_equal(model.encode_query(queries, exclude=exclude), bare.encode(queries))
    vectors = signed_vectors(queries, bare.encode, exclude=exclude)
    assert np.array_equal(vectors, bare.encode(queries))


@pytest.mark.parametrize("strength", [float("nan"), float("inf"), -1.0])
def test_a_negative_or_infinite_strength_is_refused(minilm_folder, strength):
    with pytest.raises(ValueError, match="must not be negative or infinite"):
        DualEncoder.training_free(str(minilm_folder), strength=strength)


def test_more_rank_than_dimensions_is_refused():
    with pytest.raises(ValueError, match="up to 384"):
        SignedPooling(384, pooling_mode="mean", rank=10**8)
