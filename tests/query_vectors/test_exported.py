import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Transformer
from sentence_transformers.sentence_transformer.modules import Pooling

from boolattn import DualEncoder, ExportedEncoder, signed_vectors
from boolattn.backbones.onnx_export import ExportError, export_encoder
from boolattn.query_vectors.exported_encoder import CARD_FILE, MODEL_FILE, EncoderFileError
from tests.backbones.tiny import tiny

LIGHT = Path(__file__).parents[2] / ".venv-light" / "bin" / "python"
TEXTS = ["movies", "movies set in Vietnam but not about war", "", "a " * 400, "Ünïcödé 🎬 naïve", "red kites in Peru"]


@pytest.fixture(scope="module")
def model(minilm_folder):
    return SentenceTransformer(str(minilm_folder), device="cpu")


@pytest.fixture(scope="module")
def exported(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    for precision in ("fp32", "int8"):
        export_encoder(model, folder / precision, precision, "MiniLM")
    return folder


@pytest.mark.parametrize("backend", ["onnx", "openvino"])
def test_vectors_are_those_of_the_model(model, exported, backend):
    encoder = ExportedEncoder(exported / "fp32", backend, threads=1)
    assert np.allclose(encoder.encode_query(TEXTS), model.encode(TEXTS), atol=1e-5)
    assert np.allclose(encoder.encode_document(TEXTS[1]), model.encode(TEXTS[1]), atol=1e-5)


@pytest.mark.parametrize("backend", ["onnx", "openvino"])
def test_int8_vectors_are_close_and_do_not_depend_on_the_batch(model, exported, backend):
    encoder = ExportedEncoder(exported / "int8", backend, threads=1)
    vectors = encoder.encode_query(TEXTS)
    assert ((vectors * model.encode(TEXTS)).sum(axis=1) > 0.97).all()
    assert np.array_equal(vectors, np.stack([encoder.encode_query(text) for text in TEXTS]))


@pytest.mark.parametrize("backend", ["onnx", "openvino"])
def test_threads_share_an_encoder(exported, backend):
    encoder = ExportedEncoder(exported / "fp32", backend, threads=1)
    alone = [encoder.encode_query(text) for text in TEXTS]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(encoder.encode_query, TEXTS * 20))
    assert all(np.array_equal(one, other) for one, other in zip(found, alone * 20, strict=True))


def test_no_texts(exported):
    assert len(ExportedEncoder(exported / "fp32").encode_query([])) == 0


@pytest.mark.parametrize("family", ["distilbert", "mpnet"])  # without token types; positions that depend on padding
def test_other_families_prompts_and_unnormalised_vectors(minilm_folder, tmp_path, family):
    network = tiny(family, "eager")
    network.resize_token_embeddings(30522)
    network.get_input_embeddings().weight.data.normal_()  # otherwise all new words are nearly the same
    network.save_pretrained(tmp_path / "saved")
    for path in minilm_folder.glob("*token*"):
        (tmp_path / "saved" / path.name).write_bytes(path.read_bytes())
    transformer = Transformer(str(tmp_path / "saved"))
    transformer.tokenizer.model_input_names = ["input_ids", "attention_mask"]
    prompts = {"query": "search: ", "document": "passage: "} if family == "mpnet" else None
    modules = [transformer, Pooling(32, pooling_mode="mean" if prompts else "cls")]
    model = SentenceTransformer(modules=modules, device="cpu", prompts=prompts)
    model.max_seq_length = 64
    export_encoder(model, tmp_path / "out")
    encoder = ExportedEncoder(tmp_path / "out")
    assert np.allclose(encoder.encode_query(TEXTS), model.encode_query(TEXTS), atol=1e-4)
    assert np.allclose(encoder.encode_document(TEXTS), model.encode_document(TEXTS), atol=1e-4)
    assert np.allclose(encoder.encode_query("kites"), encoder.encode_document("kites"), atol=1e-4) == (not prompts)


def test_a_boolean_model_cannot_be_exported(minilm_folder, tmp_path):
    with pytest.raises(ExportError, match="not Boolean"):
        export_encoder(DualEncoder.training_free(minilm_folder), tmp_path)


@pytest.mark.parametrize("damage", ["weights", "card", "missing", "emptied"])
def test_damage_is_detected(exported, tmp_path, damage):
    for path in (exported / "int8").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    card, weights = tmp_path / CARD_FILE, tmp_path / MODEL_FILE
    if damage == "weights":
        content = bytearray(weights.read_bytes())
        content[len(content) // 2] ^= 1
        weights.write_bytes(content)
    elif damage == "card":
        card.write_text(json.dumps(json.loads(card.read_text()) | {"tokens": 8}))
    elif damage == "missing":
        weights.unlink()
    else:
        card.write_text("{}")
    with pytest.raises(EncoderFileError, match="export the model again"):
        ExportedEncoder(tmp_path)


def test_a_folder_without_an_encoder(tmp_path):
    with pytest.raises(EncoderFileError, match="boolattn export MODEL OUT"):
        ExportedEncoder(tmp_path)


def test_an_unknown_backend(exported):
    with pytest.raises(ValueError, match="'onnx', 'openvino'"):
        ExportedEncoder(exported / "fp32", "tensorrt")


@pytest.mark.skipif(not LIGHT.exists(), reason="needs .venv-light, which .ci/setup makes")
def test_exclusions_need_no_torch(exported):
    query = "movies set in Vietnam but not about war"
    code = f"""
import sys, boolattn
encoder = boolattn.ExportedEncoder({str(exported / "fp32")!r}, threads=1)
print(boolattn.signed_vectors([{query!r}], encoder.encode_query).tolist())
assert "torch" not in sys.modules
"""
    done = subprocess.run([LIGHT, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    encoder = ExportedEncoder(exported / "fp32", threads=1)
    assert np.allclose(json.loads(done.stdout), signed_vectors([query], encoder.encode_query), atol=1e-6)
