import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Dense
from transformers import AutoTokenizer, BertConfig, BertModel

from boolattn import BoolAttnConfig, DualEncoder, load_adapter, save_adapter
from boolattn.backbones.attach.plugin import mechanism_of
from boolattn.backbones.storage.adapter_format import read_adapter, write_adapter
from boolattn.backbones.storage.adapters import WrongBackboneError, backbone_fingerprint, save_without_backbone
from boolattn.backbones.storage.checksums import ChangedWeightsError
from boolattn.backbones.storage.fingerprint import document_fingerprint
from boolattn.backbones.storage.model_names import UnknownModelError, load_encoder, title_of
from tests.forked import run_python

HUB_NAME = "nobody/small-bert"
QUERIES = ["movies set in Vietnam but not about war", "birds of Peru"]
OPERATORS = [["not"], []]
KINDS = ["training-free", "two-sided", "signed", "paper"]
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
    torch.manual_seed(3)  # a seed whose random scopes contain some tokens, but not all
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
    save_without_backbone(made_boolean("signed", backbone), tmp_path / "adapters" / "small", HUB_NAME)
    monkeypatch.chdir(tmp_path / "adapters")
    return tmp_path / "adapters"


def test_a_fresh_process_gives_the_same_bytes(backbone, tmp_path):
    models = {kind: made_boolean(kind, backbone) for kind in KINDS}
    for kind, model in models.items():
        save_without_backbone(model, tmp_path / kind, HUB_NAME)
    script = (
        "import json, sys\nfrom boolattn.backbones.storage.model_names import load_encoder\n"
        "backbone, queries, operators, documents = map(json.loads, sys.argv[1:5])\n"
        "for folder in sys.argv[5:]:\n"
        "    model = load_encoder(folder, backbone)\n"
        "    print(model.encode_query(queries, operators=operators).tobytes().hex())\n"
        "    print(model.encode_document(documents).tobytes().hex())"
    )
    arguments = [*map(json.dumps, (backbone, QUERIES, OPERATORS, DOCUMENTS)), *(str(tmp_path / kind) for kind in KINDS)]
    lines, plain = iter(run_python("-c", script, *arguments).stdout.split()), SentenceTransformer(backbone)
    documents = plain.encode(DOCUMENTS).tobytes().hex()
    for kind, model in models.items():
        queries = model.encode_query(QUERIES, operators=OPERATORS)
        assert queries[0].any() and not np.allclose(queries[0], plain.encode(QUERIES)[0], atol=1e-3), kind
        assert (next(lines), next(lines)) == (queries.tobytes().hex(), documents), kind


def test_the_mechanism_of_a_shipped_adapter_can_be_attached_alone(adapters, backbone):
    encoder = load_adapter(SentenceTransformer(backbone)[0].auto_model, adapters / "small")
    expected = mechanism_of(made_boolean("signed", backbone).tower.encoder).state_dict()
    assert all(torch.equal(value, expected[name]) for name, value in mechanism_of(encoder).state_dict().items())
    save_without_backbone(made_boolean("two-sided", backbone), adapters / "small", HUB_NAME)
    with pytest.raises(ValueError, match=r"no mechanism to attach: load it with boolattn\.load_encoder"):
        load_adapter(SentenceTransformer(backbone)[0].auto_model, adapters / "small")


def test_the_backbone_is_not_shipped(adapters, backbone):
    files = [path for path in (adapters / "small").rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".json", ".safetensors"}
    assert sum(path.stat().st_size for path in files) < 0.05 * (Path(backbone) / "model.safetensors").stat().st_size
    record = json.loads((adapters / "small" / "boolattn.json").read_text())
    assert record["route"]["backbone"] == HUB_NAME
    assert record["route"]["fingerprint"] == backbone_fingerprint(SentenceTransformer(backbone))


def test_a_loaded_adapter_is_an_ordinary_boolean_model(adapters, backbone, tmp_path):
    model = load_encoder("small", backbone, device="cpu")
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
    model = load_encoder("small", plain)
    assert np.array_equal(model.encode_document(DOCUMENTS), expected) and model.similarity_fn_name == "dot"


def test_other_weights_are_refused(adapters, backbone, other):
    with pytest.raises(WrongBackboneError, match=f"unchanged copy of {HUB_NAME}"):
        load_encoder("small", other)
    with pytest.raises(WrongBackboneError, match=r"loaded as bfloat16.*'dtype': 'float32'"):
        load_encoder("small", SentenceTransformer(backbone).to(torch.bfloat16))
    pooled = SentenceTransformer(backbone)
    pooled[1].pooling_mode = "cls"
    with pytest.raises(WrongBackboneError, match=r"pools with \{'pooling_mode': 'cls'\}"):
        load_encoder("small", pooled)
    with pytest.raises(WrongBackboneError, match="starts with Transformer and Pooling"):
        load_encoder("small", DualEncoder.training_free(backbone))


def test_a_refused_backbone_is_unchanged(adapters, other):
    plain = SentenceTransformer(other)
    with pytest.raises(WrongBackboneError):
        load_encoder("small", plain)
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


def test_changed_weight_files_are_refused(adapters, backbone):
    name = "boolattn.safetensors"
    path = adapters / "small" / name
    content = path.read_bytes()
    for changed in (content[:-2] + bytes([content[-2] ^ 1, content[-1]]), content[:-100]):
        path.write_bytes(changed)
        with pytest.raises(ChangedWeightsError, match=f"{name}.*not the file that was saved"):
            load_encoder("small", backbone)
    path.unlink()
    with pytest.raises(ChangedWeightsError, match=f"{name}.*missing"):
        load_encoder("small", backbone)
    path.write_bytes(content)
    load_encoder("small", backbone)


@pytest.mark.parametrize("part", ["mechanism", "readout"])
def test_weights_that_are_not_finite_are_refused(backbone, tmp_path, part):
    model = made_boolean("signed", backbone)
    module = model.readout if part == "readout" else mechanism_of(model.tower.encoder)
    next(module.parameters()).data.fill_(float("nan"))
    save_without_backbone(model, tmp_path, HUB_NAME)
    with pytest.raises(ValueError, match=rf"the weights {part}\..* are not finite"):
        load_encoder(tmp_path, backbone)


def test_a_damaged_record_is_reported(adapters, backbone):
    record = adapters / "small" / "boolattn.json"
    content = record.read_text()
    for damaged in (content[:-20], content.replace("fingerprint", "footprint"), "[]"):
        record.write_text(damaged)
        with pytest.raises(ValueError, match=r"boolattn\.json is damaged"):
            load_encoder("small", backbone)
    record.write_text(content.replace('"penalty": 0.3', '"penalty": 0.4'))
    with pytest.raises(ChangedWeightsError, match=r"boolattn\.json.*not the file that was saved"):
        load_encoder("small", backbone)
    record.write_text(content)
    saved = read_adapter(adapters / "small")
    future = replace(saved, route=replace(saved.route, readout="FuturePooling"))
    write_adapter(future, adapters / "small")
    with pytest.raises(ValueError, match="update boolattn"):
        load_encoder("small", backbone)


def test_saving_again_replaces_all_old_files(adapters, backbone):
    save_without_backbone(made_boolean("training-free", backbone), adapters / "small", HUB_NAME)
    assert all(name.startswith("readout.") for name in load_file(adapters / "small" / "boolattn.safetensors"))
    assert load_encoder("small", backbone).tower.encoding.name == "bias"


def test_the_backbone_is_the_argument_or_the_variable_or_the_recorded_one(adapters, backbone, other, monkeypatch):
    monkeypatch.setenv("BOOLATTN_BACKBONE", backbone)
    assert isinstance(load_encoder("small"), DualEncoder)
    monkeypatch.setenv("BOOLATTN_BACKBONE", other)
    with pytest.raises(WrongBackboneError):
        load_encoder("small")
    assert isinstance(load_encoder("small", backbone), DualEncoder)
    monkeypatch.setenv("BOOLATTN_BACKBONE", "")
    with pytest.raises(UnknownModelError, match="three ways") as told:
        load_encoder("small")
    for way in (
        repr(HUB_NAME),
        "load_encoder('small', backbone=FOLDER)",
        "--backbone FOLDER",
        "BOOLATTN_BACKBONE=FOLDER",
    ):
        assert way in str(told.value)
    with pytest.raises(
        UnknownModelError, match=re.escape(f"load_encoder({str(adapters / 'small')!r}, backbone=FOLDER)")
    ):
        load_encoder(adapters / "small")
    save_without_backbone(load_encoder("small", backbone), adapters / "small", backbone=backbone)
    assert isinstance(load_encoder("small"), DualEncoder)


def test_loading_settings_are_refused_for_a_loaded_backbone(adapters, backbone):
    with pytest.raises(TypeError, match="device"):
        load_encoder("small", SentenceTransformer(backbone), device="cpu")


def test_an_unknown_name_is_refused_with_what_to_use(adapters, backbone, tmp_path):
    with pytest.raises(UnknownModelError, match=r"cannot load '\.\./adapters/smal'"):
        load_encoder("../adapters/smal")
    with pytest.raises(UnknownModelError, match="or the folder of an adapter"):
        load_encoder("smal")
    with pytest.raises(UnknownModelError, match="BOOLATTN_BACKBONE are for adapters: offline, use the model's folder"):
        load_encoder("smal", backbone)
    save_adapter(made_boolean("signed", backbone).tower.transformer.auto_model, tmp_path / "bare")
    with pytest.raises(UnknownModelError, match="load_adapter attaches a mechanism"):
        load_encoder(tmp_path / "bare")


def test_the_command_lines_names_lead_to_adapters(adapters, backbone, other):
    expected = load_encoder("small", backbone).encode_query(QUERIES, operators=OPERATORS)
    for name in ("small", str(adapters / "small")):
        assert np.array_equal(load_encoder(name, backbone).encode_query(QUERIES, operators=OPERATORS), expected)
    assert title_of("small") == "adapters/small"
    with pytest.raises(WrongBackboneError, match="unchanged copy"):
        load_encoder("small", other)
    assert not isinstance(load_encoder(backbone, other), DualEncoder)  # plain models include their own backbone
    save_adapter(
        load_encoder("small", backbone).tower.transformer.auto_model, backbone
    )  # a bare mechanism in its folder
    assert not isinstance(load_encoder(backbone), DualEncoder)
    for name in ("boolattn.json", "boolattn.safetensors"):
        (Path(backbone) / name).unlink()
