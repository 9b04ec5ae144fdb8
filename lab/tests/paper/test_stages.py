import json
from pathlib import Path

import pytest
import torch
from lab.tests.paper import small
from safetensors.torch import load_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

from boolattn import DualEncoder
from boolattn_lab.paper.recipes import RecipeError, load_recipe
from boolattn_lab.paper.train import finetune, pretrain

RECIPES = Path(__file__).parents[2] / "recipes"
TINY = {"training.batch_size": 4, "training.log_steps": 1}


def _results(out):
    return json.loads((out / "results.json").read_text())


def _losses(out, name="loss"):
    return [row[name] for row in _results(out)["log"] if name in row]


def _backbone(folder):
    [path] = Path(folder).glob("*Transformer/model.safetensors")
    return load_file(path)


def test_the_papers_recipes_run_end_to_end(start, data, tmp_path):
    first = pretrain(load_recipe(RECIPES / "paper-pretrain.toml", {"model.start": start} | TINY), data, tmp_path / "1")
    changes = TINY | {"training.epochs": 2}
    quest = load_recipe(RECIPES / "paper-quest.toml", changes | {"model.start": str(first)})
    second = finetune(quest, data, tmp_path / "2")
    questions = load_recipe(RECIPES / "paper-boolquestions.toml", changes | {"model.start": str(second)})
    third = finetune(questions, data, tmp_path / "3")

    cost = _results(tmp_path / "1")["cost"]
    assert cost["trained_parameters"] < cost["parameters"], "only BoolAttn and the embeddings are pretrained"
    before, after = load_file(Path(start) / "model.safetensors"), _backbone(first)
    changed = {name for name in after if not torch.equal(before[name], after[name])}
    assert changed and all(name.startswith("embeddings.") for name in changed)
    assert set(_results(tmp_path / "1")["log"][0]) >= {"cue", "gate", "ranking"}
    assert any(
        "encoder." in name and not torch.equal(after[name], weight) for name, weight in _backbone(second).items()
    )
    for number, seed in (("2", 0), ("3", 0)):
        results = _results(tmp_path / number)
        assert results["seed"] == seed
        assert results["recipe"]["training"]["learning_rate"] == 5e-5
        assert results["seconds"] > 0 and "T" in results["finished"]
        assert results["best"]["step"] is not None
        cost = results["cost"]
        assert (
            cost["parameters"]
            == cost["trained_parameters"]
            == sum(w.numel() for w in DualEncoder(str(third)).parameters())
        )
        assert 0 < cost["step_seconds"] < results["seconds"] and cost["peak_memory_mb"] > 10
        assert len(_losses(tmp_path / number)) == results["steps"]
    assert {"eval_validation_dot_recall@100", "eval_validation_dot_mrr@10"} <= set(_results(tmp_path / "3")["log"][2])
    model = DualEncoder(str(third))
    assert not torch.equal(
        model.encode_query("kites but not of Peru", operators=[["not"]], convert_to_tensor=True),
        model.encode_query("kites but not of Peru", operators=[[]], convert_to_tensor=True),
    )


def test_the_gate_can_be_an_auxiliary_task_while_gates_are_given(start, data, tmp_path):
    changes = TINY | {"model.start": start, "training.gates": "given", "training.learning_rate": 1e-2}
    folder = pretrain(load_recipe(RECIPES / "paper-pretrain.toml", changes), data, tmp_path)
    curve = _losses(tmp_path, "gate")
    assert curve[-1] < 0.9 * curve[0]
    assert DualEncoder(str(folder)).tower.encoding.trained_gates == "given"


def test_the_adapter_learns_and_leaves_the_backbone_as_it_was(start, data, tmp_path):
    recipe = small.recipe(
        "finetune", start, "films", model={"pooling": "mean", "signed": True, "similarity": "cosine"},
        data={"queries": 12, "validation_queries": 0}, losses={"cue": 1.0, "scope": 1.0},
        training={"learns": "adapter", "scale": 20.0},
    )  # fmt: skip
    folder = finetune(recipe, data, tmp_path)
    before, after = load_file(Path(start) / "model.safetensors"), _backbone(folder)
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert set(_results(tmp_path)["log"][0]) >= {"cue", "scope", "ranking"}
    trained = load_file(folder / "query_0_BooleanTower" / "boolattn.safetensors")
    assert trained["mechanism.layers.0.scope.gamma.weight"].any()  # starts at zero
    assert load_file(folder / "query_1_SignedPooling" / "model.safetensors")["weigh.weight"].any()  # likewise


@pytest.mark.parametrize("stage", ["pretrain", "finetune"])
def test_losses_fall_on_data_that_can_be_memorised(start, data, tmp_path, stage):
    sections = {
        "data": {"queries": 2 if stage == "pretrain" else 4, "validation_queries": 0},
        "losses": {"cue": 1.0, "gate": 1.0, "scope": 1.0, "ranking": 1.0},
        "training": {"learns": "full", "gates": "learned", "epochs": 80, "learning_rate": 3e-3,
                     "checkpoint_steps": 1000},
    }  # fmt: skip
    source, train = ("film-sentences", pretrain) if stage == "pretrain" else ("quest", finetune)
    train(small.recipe(stage, start, source, **sections), data, tmp_path)
    for name in ("cue", "gate", "scope", "ranking"):
        curve = _losses(tmp_path, name)
        tenth = len(curve) // 10
        assert sum(curve[-tenth:]) < 0.6 * sum(curve[:tenth]), name


def test_without_boolattn_the_same_recipe_takes_the_same_steps(start, data, tmp_path):
    def run(boolean):
        out = tmp_path / str(boolean)
        recipe = small.recipe("finetune", start, "quest", model={"boolean": boolean})
        folder = finetune(recipe, data, out)
        return folder, _results(out)

    (folder, plain), (_, boolean) = run(False), run(True)
    assert plain["steps"] == boolean["steps"]
    assert len(plain["log"]) == len(boolean["log"])
    model = SentenceTransformer(str(folder))
    assert [type(module).__name__ for module in model] == ["Transformer", "Pooling"]
    before, after = load_file(Path(start) / "model.safetensors"), load_file(folder / "model.safetensors")
    assert not torch.equal(before["encoder.layer.0.attention.self.query.weight"],
                           after["encoder.layer.0.attention.self.query.weight"])  # fmt: skip
    pre = pretrain(small.recipe("pretrain", start, "setbert", model={"boolean": False}), data, tmp_path / "pre")
    assert not (pre / "boolattn_checksums.json").exists()
    assert set(_results(tmp_path / "pre")["log"][0]) >= {"ranking"}


@pytest.mark.parametrize("boolean", [True, False])
def test_logical_losses_are_learned_with_and_without_boolattn(start, data, tmp_path, boolean):
    recipe = small.recipe(
        "finetune", start, "films", model={"boolean": boolean}, data={"queries": 16, "validation_queries": 0},
        losses={"subset": 0.5, "exclusion": 0.5}, training={"epochs": 1},
    )  # fmt: skip
    finetune(recipe, data, tmp_path)
    assert sum(_losses(tmp_path, "subset")) > 0
    assert sum(_losses(tmp_path, "exclusion")) > 0


def test_the_best_epoch_is_kept(start, data, tmp_path, monkeypatch):
    scores = iter([0.2, 0.9, 0.4])
    monkeypatch.setattr(
        InformationRetrievalEvaluator, "__call__", lambda *_, **__: {"validation_dot_recall@100": next(scores)}
    )
    folder = finetune(small.recipe("finetune", start, "quest", training={"epochs": 3}), data, tmp_path)
    best = _results(tmp_path)["best"]
    assert best == {"step": 4, "value": 0.9}
    kept, second = _backbone(folder), _backbone(tmp_path / "checkpoints" / "checkpoint-4")
    last = _backbone(tmp_path / "checkpoints" / "checkpoint-6")
    assert all(torch.equal(kept[name], second[name]) for name in kept)
    assert any(not torch.equal(kept[name], last[name]) for name in kept)


def test_another_seed_is_another_run_and_the_same_is_the_same(start, data, tmp_path):
    def curve(seed, name):
        changes = TINY | {"model.start": start, "seed": seed, "training.learning_rate": 1e-3}
        pretrain(load_recipe(RECIPES / "paper-pretrain.toml", changes), data, tmp_path / name)
        return _losses(tmp_path / name)

    assert curve(0, "a") == curve(0, "b") != curve(42, "c")


def test_a_recipe_is_for_one_stage(start, data, tmp_path):
    with pytest.raises(RecipeError, match="pretrain"):
        finetune(small.recipe("pretrain", start, "setbert"), data, tmp_path)
    with pytest.raises(RecipeError, match="finetune"):
        pretrain(small.recipe("finetune", start, "quest"), data, tmp_path)
