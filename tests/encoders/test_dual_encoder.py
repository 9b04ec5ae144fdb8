import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling

from boolattn import BoolAttnConfig, DualEncoder, ReadingOptions
from boolattn.encoders.storage.checksums import ChangedWeightsError
from boolattn.encoders.storage.fingerprint import document_fingerprint
from boolattn.encoders.storage.model_names import UnknownModelError, load_encoder
from boolattn.encoders.vectors.signed_pooling import SignedPooling

QUERY = "movies set in Vietnam but not about war"
ORDINARY = ["war films", "1956 debut novels", "birds of Peru and Ecuador", "what is the best way to learn chess"]
DOCUMENTS = ["A love story in the streets of Hanoi.", "A platoon fights its way through the jungle of Vietnam."]


@pytest.fixture(scope="module")
def bare(minilm_folder):
    return SentenceTransformer(str(minilm_folder))


@pytest.fixture(scope="module")
def model(minilm_folder):
    model = DualEncoder.training_free(str(minilm_folder))
    model.options = ReadingOptions(reader="rules")
    return model


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    model.save(str(folder))
    return folder


def test_ordinary_queries_and_documents_are_the_backbones_to_the_bit(model, bare):
    assert np.array_equal(model.encode_query(ORDINARY), bare.encode(ORDINARY))
    assert np.array_equal(model.encode_document([*DOCUMENTS, QUERY]), bare.encode([*DOCUMENTS, QUERY]))


def test_beside_an_exclusion_ordinary_queries_are_as_in_the_backbones_own_batch(model, bare):
    mixed = [*ORDINARY, QUERY]
    ours, theirs = model.encode_query(mixed), bare.encode(mixed)
    assert np.array_equal(ours[:-1], theirs[:-1]) and not np.allclose(ours[-1], theirs[-1], atol=1e-3)


def test_not_turns_the_ranking(model, bare):
    plain = bare.similarity(bare.encode([QUERY]), bare.encode(DOCUMENTS))[0]
    boolean = model.similarity(model.encode_query([QUERY]), model.encode_document(DOCUMENTS))[0]
    assert plain[1] > plain[0] and boolean[0] > boolean[1]


def test_the_caller_may_say_which_operators_a_query_holds(model, bare):
    closed = model.encode_query([QUERY, QUERY], operators=[[], ["not"]])
    assert np.allclose(closed[0], bare.encode(QUERY), atol=1e-6)
    assert np.allclose(closed[1], model.encode_query(QUERY), atol=1e-6)
    assert np.array_equal(model.encode_query(QUERY, operators=[[]]), bare.encode(QUERY))
    with pytest.raises(ValueError):
        model.encode_query([QUERY, QUERY], operators=[["not"]])


def test_labels_follow_their_query_through_sorting_and_batching(minilm_folder):
    model = DualEncoder.untrained(str(minilm_folder))
    texts = [("film " * n).strip() for n in (9, 2, 7, 1, 5, 3)]
    labels = [["not"] if n % 2 else [] for n in range(len(texts))]
    together = model.encode_query(texts, operators=labels, batch_size=2)
    alone = [model.encode_query(text, operators=[label]) for text, label in zip(texts, labels, strict=True)]
    assert np.allclose(together, np.stack(alone), atol=1e-5)


def test_the_plan_says_what_it_rests_on(model):
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
    command = [sys.executable, "-c", script, str(saved), str(saved / "vectors.npy"), *texts]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert printed == [model.encode_query(texts).tobytes().hex()] * 2


def test_sentence_transformers_alone_asks_before_it_imports_us(saved):
    with pytest.raises(ValueError, match="trust_remote_code"):
        SentenceTransformer(str(saved))


def test_the_folder_holds_no_pickle_and_the_backbone_once(saved, minilm_folder):
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


def test_an_adapter_is_saved_beside_the_backbone_and_loaded_again(minilm_folder, tmp_path):
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


def test_a_plain_model_is_not_taken_for_a_boolean_one(minilm_folder):
    with pytest.raises(ValueError, match="training_free"):
        DualEncoder(str(minilm_folder))


def test_prompts_and_similarity_are_kept(minilm_folder, tmp_path):
    plain = SentenceTransformer(str(minilm_folder), prompts={"query": "query: "}, similarity_fn_name="dot")
    expected = plain.encode_query(ORDINARY)
    model = DualEncoder.training_free(plain)
    model.save(str(tmp_path))
    for each in (model, DualEncoder(str(tmp_path))):
        assert np.array_equal(each.encode_query(ORDINARY), expected)
        assert each.similarity_fn_name == "dot"


def test_save_pretrained_of_an_attached_encoder_leaves_the_adapter_out(model, tmp_path):
    encoder = model.tower.transformer.auto_model
    encoder.save_pretrained(tmp_path)
    from safetensors import safe_open

    with safe_open(tmp_path / "model.safetensors", "pt") as weights:
        assert not [name for name in weights.keys() if "boolattn" in name]  # noqa: SIM118
    assert json.loads((tmp_path / "config.json").read_text())["model_type"] == "bert"


def test_one_setting_is_one_number(minilm_folder):
    weak = DualEncoder.training_free(str(minilm_folder), strength=0.0, penalty=1e-6)
    plain = weak.document_encoder()
    assert not np.allclose(weak.encode_query(QUERY), plain.encode(QUERY), atol=1e-3)  # the cue is left out all the same
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
        ([["NOT"]], ValueError, "known are"),
        ("not", TypeError, "one entry per query"),
        ([["not"], []], ValueError, "1 queries, but operators for 2"),
    ],
)
def test_operators_that_cannot_be_meant_are_refused(model, operators, error, says):
    with pytest.raises(error, match=says):
        model.encode_query([QUERY], operators=operators)


def test_one_backbone_is_not_made_boolean_twice(minilm_folder):
    plain = SentenceTransformer(str(minilm_folder))
    model = DualEncoder.training_free(plain)
    with pytest.raises(ValueError, match="has a mechanism already"):
        DualEncoder.untrained(plain)
    with pytest.raises(ValueError, match="Boolean model already"):
        DualEncoder.training_free(model)


def test_whatever_tokens_the_backbone_is_told_to_read_are_read(model, bare):
    short = {"text": {"max_length": 8}}
    vectors = model.encode_query([QUERY, "war films"], processing_kwargs=short)
    assert np.allclose(vectors, bare.encode([QUERY, "war films"], processing_kwargs=short), atol=1e-6)


def test_inputs_that_are_no_text_are_left_to_the_backbone(model, bare):
    assert np.allclose(model.encode_query([{"text": QUERY}]), bare.encode([{"text": QUERY}]), atol=1e-6)


def test_a_prompt_that_the_backbone_does_not_pool_is_not_pooled(minilm_folder):
    plain = SentenceTransformer(str(minilm_folder), prompts={"query": "an instruction that says much: "})
    plain[1].include_prompt = False
    model = DualEncoder.training_free(plain)
    features = model(model.preprocess([QUERY], prompt=model.prompts["query"], task="query"), task="query")
    counted = model.readout.counted(features)[0]
    assert counted[: features["prompt_length"]].sum() == 0 and counted.sum() > 0


def test_other_folders_beside_the_model_are_not_its_weights(model, tmp_path):
    model.save(str(tmp_path / "checkpoint-10"))
    model.save(str(tmp_path))
    (tmp_path / "checkpoint-10" / "document_0_Transformer" / "model.safetensors").unlink()
    assert np.array_equal(DualEncoder(str(tmp_path)).encode_query(QUERY), model.encode_query(QUERY))


def test_saved_by_sentence_transformers_alone_it_is_still_a_boolean_model(saved, tmp_path):
    plain = SentenceTransformer(str(saved), trust_remote_code=True)
    plain.save(str(saved))  # over the old one, whose checksums no longer count
    assert isinstance(load_encoder(str(saved)), DualEncoder)
    DualEncoder(str(saved)).save(str(saved))


def test_models_that_cannot_be_made_boolean_say_why(minilm_folder):
    plain = SentenceTransformer(modules=[SentenceTransformer(str(minilm_folder))[0]])
    with pytest.raises(ValueError, match="begins with Transformer and Pooling"):
        DualEncoder.training_free(plain)
    with pytest.raises(ValueError, match="folder of a saved Boolean model"):
        DualEncoder()
    by_cls = SentenceTransformer(str(minilm_folder))
    by_cls[1].pooling_mode = "cls"
    with pytest.raises(ValueError, match="signed=False"):
        DualEncoder.untrained(by_cls)


@pytest.mark.parametrize("name", ["", "training-free:", "training-free:no-such-model"])
def test_names_that_lead_nowhere_are_told(name):
    with pytest.raises(UnknownModelError, match="cannot load"):
        load_encoder(name)
