"""boolattn-lab ship: a trained model -> an adapter that can be loaded again."""

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from typer.testing import CliRunner

from boolattn import BoolAttnConfig, DualEncoder, load_encoder
from boolattn.backbones.attach.plugin import mechanism_of
from boolattn_lab.cli import app

QUERY = "movies set in Vietnam but not about war"


@pytest.fixture(autouse=True)
def _no_backbone_in_the_environment(monkeypatch):
    monkeypatch.delenv("BOOLATTN_BACKBONE", raising=False)


def _made(kind, start):
    model = DualEncoder.two_sided(start) if kind == "two-sided" else DualEncoder.untrained(start)
    for module in (mechanism_of(model.tower.transformer.auto_model), model.tower, model.readout):
        for weight in module.parameters():
            torch.nn.init.normal_(weight, std=0.3)  # as training would have changed them
    return model


def _ship(folder, out, made_with, **env):
    result = CliRunner().invoke(app, ["ship", str(folder), str(out), "--made-with", made_with], env=env)
    return result.exit_code, " ".join(result.output.replace("│", " ").split())  # out of its box


@pytest.mark.parametrize("kind", ["two-sided", "mechanism"])
def test_a_shipped_adapter_is_rounded_complete_and_loadable(kind, start, tmp_path):
    _made(kind, start).save(str(tmp_path / "model"))
    code, said = _ship(tmp_path / "model", tmp_path / "mine", start)
    assert code == 0, said
    model = load_encoder(tmp_path / "mine")
    learned = [*model.tower.parameters(), *model.readout.parameters()]
    if kind == "mechanism":
        learned += mechanism_of(model.tower.transformer.auto_model).parameters()
    assert all(torch.equal(weight, weight.half().float()) for weight in learned)
    whole = tmp_path / "model"
    saved = [
        *(whole / "query_0_BooleanTower").glob("*.safetensors"),
        *(whole / "query_1_SignedPooling").glob("*.safetensors"),
    ]
    (file,) = (tmp_path / "mine").rglob("*.safetensors")
    assert file.stat().st_size < 0.6 * sum(each.stat().st_size for each in saved)
    vectors = [each.encode_query([QUERY], operators=[["not"]]) for each in (model, DualEncoder(str(whole)))]
    assert np.isfinite(vectors[0]).all() and vectors[0].shape == vectors[1].shape


def test_a_trained_backbone_is_not_shipped(start, tmp_path):
    model = _made("mechanism", start)
    with torch.no_grad():
        model.tower.transformer.auto_model.encoder.layer[0].output.dense.bias += 0.01
    model.save(str(tmp_path / "model"))
    code, said = _ship(tmp_path / "model", tmp_path / "mine", start)
    assert code == 2 and "never be loaded" in said
    assert not (tmp_path / "mine").exists()


def test_another_pooling_is_not_shipped(start, tmp_path):
    plain = SentenceTransformer(start)
    plain[1].pooling_mode = "cls"
    DualEncoder.untrained(plain, BoolAttnConfig.light(), signed=False).save(str(tmp_path / "model"))
    code, said = _ship(tmp_path / "model", tmp_path / "mine", start)
    assert code == 2 and "pools with" in said


def test_the_backbone_can_be_a_folder(start, tmp_path):
    _made("two-sided", start).save(str(tmp_path / "model"))
    code, said = _ship(tmp_path / "model", tmp_path / "mine", "nobody/small-bert", BOOLATTN_BACKBONE=start)
    assert code == 0, said
    code, said = _ship(tmp_path / "model", tmp_path / "other", "nobody/small-bert")
    assert code == 2 and "Point to a folder with nobody/small-bert" in said
