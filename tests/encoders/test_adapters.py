import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Dense
from transformers import AutoTokenizer, BertConfig, BertModel

from boolattn import BoolAttnConfig, DualEncoder, save_adapter
from boolattn.encoders.attach.plugin import mechanism_of
from boolattn.encoders.storage import model_names as loading
from boolattn.encoders.storage.adapters import WrongBackboneError, backbone_fingerprint, save_without_backbone
from boolattn.encoders.storage.checksums import ChangedWeightsError
from boolattn.encoders.storage.fingerprint import document_fingerprint
from boolattn.encoders.storage.model_names import (
    UnknownModelError,
    load,
    load_boolean,
    load_encoder,
    shipped_adapters,
    title_of,
)

HUB_NAME = "nobody/small-bert"
QUERIES = ["movies set in Vietnam but not about war", "birds of Peru"]
OPERATORS = [["not"], []]
DOCUMENTS = ["A love story in the streets of Hanoi.", "A platoon in the jungle."]


@pytest.fixture(autouse=True)
def _no_backbone_in_the_environment(monkeypatch):
    monkeypatch.delenv("BOOLATTN_BACKBONE", raising=False)


@pytest.fixture(scope="module")
def backbone(tmp_path_factory, minilm_folder) -> str:
    bert, folder = tmp_path_factory.mktemp("bert"), tmp_path_factory.mktemp("backbone")
    tokenizer = AutoTokenizer.from_pretrained(minilm_folder)
    torch.manual_seed(1)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    BertModel(BertConfig(vocab_size=len(tokenizer), initializer_range=0.2, **sizes)).save_pretrained(bert)
    tokenizer.save_pretrained(bert)
    SentenceTransformer(str(bert)).save(str(folder))
    return str(folder)


@pytest.fixture
def other(backbone, tmp_path) -> str:
    model = SentenceTransformer(backbone)
    with torch.no_grad():
        model[0].auto_model.encoder.layer[1].attention.self.query.bias[0] += 1e-6
    model.save(str(tmp_path / "other"))
    return str(tmp_path / "other")


def made_boolean(kind: str, backbone: str) -> DualEncoder:
    torch.manual_seed(3)  # of which random scopes hold some tokens, neither none nor all
    if kind == "training-free":
        model = DualEncoder.training_free(backbone)
    elif kind == "two-sided":
        model = DualEncoder.two_sided(backbone)
    else:
        model = DualEncoder.untrained(backbone, BoolAttnConfig.light(), signed=kind == "signed")
    for module in (mechanism_of(model.tower.transformer.auto_model), model.tower, model.readout):
        for weight in module.parameters():
            torch.nn.init.normal_(weight, std=0.3)  # as training would have changed them
    return model


@pytest.fixture
def adapters(backbone, tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(loading, "ADAPTERS", tmp_path / "adapters")
    save_without_backbone(made_boolean("signed", backbone), tmp_path / "adapters" / "small", HUB_NAME)
    return tmp_path / "adapters"


@pytest.mark.parametrize("kind", ["training-free", "two-sided", "signed", "paper"])
def test_a_fresh_process_gives_the_same_bytes(kind, backbone, tmp_path):
    model = made_boolean(kind, backbone)
    save_without_backbone(model, tmp_path, HUB_NAME)
    script = (
        "import json, sys\nfrom boolattn.encoders.storage.model_names import load\n"
        "model = load(sys.argv[1], sys.argv[2])\nqueries, operators, documents = map(json.loads, sys.argv[3:])\n"
        "print(model.encode_query(queries, operators=operators).tobytes().hex())\n"
        "print(model.encode_document(documents).tobytes().hex())"
    )
    arguments = [str(tmp_path), backbone, *map(json.dumps, (QUERIES, OPERATORS, DOCUMENTS))]
    printed = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    plain = SentenceTransformer(backbone)
    queries, documents = model.encode_query(QUERIES, operators=OPERATORS), plain.encode(DOCUMENTS)
    assert queries[0].any() and not np.allclose(queries[0], plain.encode(QUERIES)[0], atol=1e-3)
    assert printed.stdout.split() == [queries.tobytes().hex(), documents.tobytes().hex()]


def test_the_backbone_is_not_shipped(adapters, backbone):
    files = [path for path in (adapters / "small").rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".json", ".safetensors"}
    assert sum(path.stat().st_size for path in files) < 0.05 * (Path(backbone) / "model.safetensors").stat().st_size
    record = json.loads((adapters / "small" / "boolattn.json").read_text())
    assert record["backbone"] == HUB_NAME
    assert record["fingerprint"] == backbone_fingerprint(SentenceTransformer(backbone))
    assert set(record["weights"]) == {"tower/boolattn.safetensors", "readout/model.safetensors"}


def test_what_is_loaded_is_an_ordinary_boolean_model(adapters, backbone, tmp_path):
    model = load("small", backbone, device="cpu")
    assert [atom.text for atom in model.plan(QUERIES[0]).negatives] == ["war"]
    # The same fingerprint as the plain model's: an evaluation finds the document vectors it keeps.
    assert document_fingerprint(model) == document_fingerprint(SentenceTransformer(backbone))
    model.save(str(tmp_path / "whole"))
    both = (model, DualEncoder(str(tmp_path / "whole")))
    assert np.array_equal(*(each.encode_query(QUERIES, operators=OPERATORS) for each in both))
    save_without_backbone(model, tmp_path / "again", HUB_NAME)
    assert (tmp_path / "again" / "boolattn.json").read_text() == (adapters / "small" / "boolattn.json").read_text()


def test_prompts_are_the_backbones(adapters, backbone):
    plain = SentenceTransformer(backbone, prompts={"document": "text: "}, similarity_fn_name="dot")
    expected = plain.encode_document(DOCUMENTS)
    model = load("small", plain)
    assert np.array_equal(model.encode_document(DOCUMENTS), expected) and model.similarity_fn_name == "dot"


def test_other_weights_are_refused(adapters, backbone, other):
    with pytest.raises(WrongBackboneError, match=f"unchanged copy of {HUB_NAME}"):
        load("small", other)
    with pytest.raises(WrongBackboneError, match=r"loaded as bfloat16.*'dtype': 'float32'"):
        load("small", SentenceTransformer(backbone).to(torch.bfloat16))
    pooled = SentenceTransformer(backbone)
    pooled[1].pooling_mode = "cls"
    with pytest.raises(WrongBackboneError, match=r"pools with \{'pooling_mode': 'cls'\}"):
        load("small", pooled)
    with pytest.raises(WrongBackboneError, match="begins with Transformer and Pooling"):
        load("small", DualEncoder.training_free(backbone))


def test_a_refused_backbone_is_left_as_it_was(adapters, other):
    plain = SentenceTransformer(other)
    with pytest.raises(WrongBackboneError):
        load("small", plain)
    DualEncoder.training_free(plain)  # would refuse a backbone that has a mechanism


def test_the_fingerprint_is_of_weights_alone(backbone, tmp_path):
    plain = SentenceTransformer(backbone)
    before = backbone_fingerprint(plain)
    assert backbone_fingerprint(SentenceTransformer(backbone, model_kwargs={"attn_implementation": "eager"})) == before
    assert backbone_fingerprint(made_boolean("signed", backbone).document_encoder()) == before
    plain[0].auto_model.save_pretrained(tmp_path, max_shard_size="1MB")
    sharded = SentenceTransformer(backbone)
    sharded[0].auto_model = type(plain[0].auto_model).from_pretrained(tmp_path)
    assert backbone_fingerprint(sharded) == before and len(list(tmp_path.glob("*.safetensors"))) > 1
    torch.nn.init.normal_(plain[0].auto_model.pooler.dense.weight)  # random where a checkpoint has none
    assert backbone_fingerprint(plain) == before


def test_the_fingerprint_sees_layers_after_the_pooling(backbone):
    plain = SentenceTransformer(backbone)
    plain.append(Dense(32, 32))
    before = backbone_fingerprint(plain)
    torch.nn.init.normal_(plain[2].linear.weight)
    assert backbone_fingerprint(plain) != before != backbone_fingerprint(SentenceTransformer(backbone))


@pytest.mark.parametrize("name", ["tower/boolattn.safetensors", "readout/model.safetensors"])
def test_changed_weight_files_are_refused(adapters, backbone, name):
    path = adapters / "small" / name
    content = path.read_bytes()
    for changed in (content[:-2] + bytes([content[-2] ^ 1, content[-1]]), content[:-100]):
        path.write_bytes(changed)
        with pytest.raises(ChangedWeightsError, match=f"{name}.*not the file that was saved"):
            load("small", backbone)
    path.unlink()
    with pytest.raises(ChangedWeightsError, match=f"{name}.*missing"):
        load("small", backbone)
    path.write_bytes(content)
    load("small", backbone)


def test_a_damaged_record_is_told(adapters, backbone):
    record = adapters / "small" / "boolattn.json"
    content = record.read_text()
    for damaged in (content[:-20], content.replace("fingerprint", "footprint")):
        record.write_text(damaged)
        with pytest.raises(ValueError, match=r"boolattn\.json is damaged"):
            load("small", backbone)
    record.write_text(content.replace("SignedPooling", "FuturePooling"))
    with pytest.raises(ValueError, match="update boolattn"):
        load("small", backbone)


def test_saving_again_leaves_nothing_of_before(adapters, backbone):
    save_without_backbone(made_boolean("training-free", backbone), adapters / "small", HUB_NAME)
    assert [path.parent.name for path in (adapters / "small").rglob("*.safetensors")] == ["readout"]
    assert load("small", backbone).tower.encoding.name == "bias"


def test_the_backbone_is_the_argument_or_the_variable_or_the_recorded_one(adapters, backbone, other, monkeypatch):
    monkeypatch.setenv("BOOLATTN_BACKBONE", backbone)
    assert isinstance(load("small"), DualEncoder)
    monkeypatch.setenv("BOOLATTN_BACKBONE", other)
    with pytest.raises(WrongBackboneError):
        load("small")
    assert isinstance(load("small", backbone), DualEncoder)
    monkeypatch.setenv("BOOLATTN_BACKBONE", "")
    with pytest.raises(UnknownModelError, match="three ways") as told:
        load("small")
    for way in (repr(HUB_NAME), "load('small', backbone=FOLDER)", "--backbone FOLDER", "BOOLATTN_BACKBONE=FOLDER"):
        assert way in str(told.value)
    save_without_backbone(load("small", backbone), adapters / "small", backbone=backbone)
    assert isinstance(load("small"), DualEncoder)


def test_settings_of_loading_are_not_for_a_loaded_backbone(adapters, backbone):
    with pytest.raises(TypeError, match="device"):
        load("small", SentenceTransformer(backbone), device="cpu")


def test_an_unknown_name_lists_the_known_ones(adapters, backbone, tmp_path):
    assert shipped_adapters() == ["small"]
    for unknown in ("smal", "../adapters/smal", ""):
        with pytest.raises(UnknownModelError, match=r"shipped are \['small'\]|holds no shipped adapter"):
            load(unknown)
    with pytest.raises(UnknownModelError, match=r"shipped adapter, of \['small'\]"):
        load_encoder("smal")
    save_adapter(made_boolean("signed", backbone).tower.transformer.auto_model, tmp_path / "bare")
    with pytest.raises(UnknownModelError, match="load_adapter the bare mechanism"):
        load(tmp_path / "bare")


def test_the_command_lines_names_lead_to_shipped_adapters(adapters, backbone, other):
    expected = load("small", backbone).encode_query(QUERIES, operators=OPERATORS)
    for name in ("small", str(adapters / "small")):
        assert np.array_equal(load_boolean(name, backbone).encode_query(QUERIES, operators=OPERATORS), expected)
    assert title_of("small") == "small"
    with pytest.raises(UnknownModelError, match="unchanged copy"):
        load_encoder("small", other)
    assert not isinstance(load_encoder(backbone, other), DualEncoder)  # plain models bring their own
    save_adapter(load("small", backbone).tower.transformer.auto_model, backbone)  # a bare mechanism beside its backbone
    assert not isinstance(load_encoder(backbone), DualEncoder)
    for name in ("boolattn.json", "boolattn.safetensors"):
        (Path(backbone) / name).unlink()


def test_a_folder_comes_before_a_shipped_adapter_of_its_name(adapters, backbone, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    SentenceTransformer(backbone).save("small")
    assert not isinstance(load_encoder("small", backbone), DualEncoder)
    with pytest.raises(UnknownModelError, match="folder small holds no shipped adapter"):
        load("small", backbone)


def test_a_checkout_keeps_its_adapters_at_the_top():
    assert any((home.parent / "pyproject.toml").is_file() for home in loading._HOMES)
