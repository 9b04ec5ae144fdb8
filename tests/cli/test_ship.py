"""boolattn dev ship: a trained model -> an adapter that can be loaded again."""

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from typer.testing import CliRunner

from boolattn import BoolAttnConfig, DualEncoder, load
from boolattn.cli import app
from boolattn.encoders.attach.plugin import mechanism_of
from tests.training import small

QUERY = "movies set in Vietnam but not about war"


@pytest.fixture(autouse=True)
def _no_backbone_in_the_environment(monkeypatch):
    monkeypatch.delenv("BOOLATTN_BACKBONE", raising=False)


@pytest.fixture(scope="module")
def start(tmp_path_factory, minilm_folder):
    return small.backbone(tmp_path_factory.mktemp("bert"), minilm_folder)


def _made(kind, start):
    model = DualEncoder.two_sided(start) if kind == "two-sided" else DualEncoder.untrained(start)
    for module in (mechanism_of(model.tower.transformer.auto_model), model.tower, model.readout):
        for weight in module.parameters():
            torch.nn.init.normal_(weight, std=0.3)  # as training would have changed them
    return model


def _ship(folder, out, made_with, **env):
    result = CliRunner().invoke(app, ["dev", "ship", str(folder), str(out), "--made-with", made_with], env=env)
    return result.exit_code, " ".join(result.output.replace("│", " ").split())  # out of its box


@pytest.mark.parametrize("kind", ["two-sided", "mechanism"])
def test_what_is_shipped_is_rounded_whole_and_loaded_again(kind, start, tmp_path):
    _made(kind, start).save(str(tmp_path / "model"))
    code, said = _ship(tmp_path / "model", tmp_path / "mine", start)
    assert code == 0, said
    model = load(tmp_path / "mine")
    learned = [*model.tower.parameters(), *model.readout.parameters()]
    if kind == "mechanism":
        learned += mechanism_of(model.tower.transformer.auto_model).parameters()
    assert all(torch.equal(weight, weight.half().float()) for weight in learned)
    whole = tmp_path / "model"
    shipped, saved = ("tower", "query_0_BooleanTower") if kind == "mechanism" else ("readout", "query_1_SignedPooling")
    (file,) = (tmp_path / "mine" / shipped).glob("*.safetensors")
    assert file.stat().st_size < (0.6 if kind == "mechanism" else 1.1) * (whole / saved / file.name).stat().st_size
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


def test_the_backbone_may_lie_in_a_folder(start, tmp_path):
    _made("two-sided", start).save(str(tmp_path / "model"))
    code, said = _ship(tmp_path / "model", tmp_path / "mine", "nobody/small-bert", BOOLATTN_BACKBONE=start)
    assert code == 0, said
    code, said = _ship(tmp_path / "model", tmp_path / "other", "nobody/small-bert")
    assert code == 2 and "Name a folder that holds nobody/small-bert" in said
