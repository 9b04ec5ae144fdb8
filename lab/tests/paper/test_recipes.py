import re
from dataclasses import asdict
from pathlib import Path

import pytest

from boolattn_lab.benchmarks.sets import BENCHMARKS
from boolattn_lab.paper.recipes import RecipeError, change_of, load_recipe, recipe_of
from boolattn_lab.paper.sources import SOURCES
from boolattn_lab.paper.studies.plan import load_study, plan_study
from boolattn_lab.reader.recipe import load_reader_recipe
from boolattn_lab.reader.sources import SOURCES as READER_SOURCES

RECIPES = Path(__file__).parents[2] / "recipes"
STUDIES = {path for path in RECIPES.glob("*.toml") if "[[systems]]" in path.read_text(encoding="utf-8")}
READERS = {*RECIPES.glob("reader*.toml")}
BARE = {"data": {"source": "quest"}}


def test_recipe_defaults_are_the_papers():
    finetune, pretrain = recipe_of({"stage": "finetune", **BARE}), recipe_of({"stage": "pretrain", **BARE})
    training, model = finetune.training, finetune.model
    assert (model.query_tokens, model.document_tokens) == (64, 256)
    assert (training.negatives, training.batch_size, training.epochs) == (5, 32, 40)
    assert (training.learning_rate, training.weight_decay) == (5e-5, 0.01)
    assert (training.learns, training.gates) == ("full", "given")
    assert (pretrain.training.epochs, pretrain.training.learning_rate) == (1, 1e-5)
    assert pretrain.training.learns == "embeddings"
    assert (pretrain.losses.cue, pretrain.losses.gate, pretrain.losses.ranking) == (1.0, 1.0, 0.2)
    assert pretrain.losses.scope == finetune.losses.scope == 0


@pytest.mark.parametrize("name", ["paper-pretrain", "paper-quest", "paper-boolquestions"])
def test_the_papers_recipes_match_the_defaults(name):
    recipe = load_recipe(RECIPES / f"{name}.toml")
    bare = recipe_of({"stage": recipe.stage, "data": {"source": recipe.data.source}})
    for section in ("losses", "training"):
        ours, theirs = asdict(getattr(recipe, section)), asdict(getattr(bare, section))
        different = {key for key in ours if ours[key] != theirs[key]}
        assert different == ({"keep_best_by"} if (name, section) == ("paper-boolquestions", "training") else set())
    assert not recipe.model.signed
    if recipe.stage == "pretrain":
        assert recipe.mechanism.cue_conditioning == "additive"
        assert recipe.mechanism.gate == "learned"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"training": {"epoch": 3}}, r"\[training\] has no 'epoch'; use .*epochs"),
        ({"mechanism": {"thete": 0.5}}, r"\[mechanism\] has no 'thete'; use .*theta"),
        ({"trainning": {}}, r"the recipe has no 'trainning'; use .*training"),
        ({"training": {"epochs": "many"}}, r"\[training\].*int.*epochs"),
        ({"training": {"learns": "all"}}, r"\[training\].*'all'"),
        ({"training": {"keep_best_by": "recall@3"}}, r"recall@3"),
        ({"losses": {"cue": -1.0}}, r"\[losses\].*cue"),
        ({"stage": "train"}, "'train' is not one of"),
        ({"model": "bert-base-uncased"}, r"write \[model\]"),
        ({"losses": {"gate": 1.0}, "mechanism": {"gate": "given"}}, r"nothing to train: set \[mechanism\] gate"),
        ({"training": {"candidates": "corpus"}}, "candidates = 'corpus' needs fixed documents"),
        ({"training": {"candidates": "corpus", "learns": "full"}}, "learns = 'adapter'"),
        ({"training": {"candidates": "corpus", "learns": "embeddings"}}, "learns = 'adapter'"),
        ({"stage": "pretrain", "training": {"candidates": "corpus", "learns": "adapter"}}, "stage = 'finetune'"),
        ({"training": {"candidates": "all"}}, r"\[training\].*'all'"),
        ({"training": {"candidates": "corpus", "learns": "adapter", "excluded_counts": 0.0}}, "must be positive"),
        ({"training": {"candidates": "corpus", "learns": "adapter", "excluded_counts": -1.0}}, "must be positive"),
        (
            {"model": {"encoding": "two-sided"}, "losses": {"cue": 1.0}},
            "encoding = 'two-sided' has none.*encoding = 'mechanism'",
        ),
        ({"training": {"gates": "words"}}, "for a plain model: set .* boolean = false, or gates = 'given'"),
        (
            {"training": {"gates": "learned", "scopes": "given"}},
            "scopes = 'given' needs the mechanism, gates = 'given'",
        ),
        ({"losses": {"scope": 1.0}, "training": {"scopes": "given"}}, r"no \[losses\] scope"),
        ({"mechanism": {"not_sign": 0}}, "not_sign"),
        ({"model": {"encoding": "bias"}}, r"\[model\].*'bias'"),
        ({"model": {"reading": "learned"}}, r"\[model\] has no 'reading'"),
        ({"seed": "many"}, "seed = 'many'.*seed = 42"),
        ({"seed": 1.5}, "seed = 1.5"),
        ({"seed": True}, "seed = True"),
        ({"seed": -1}, "seed = -1"),
        ({"seed": 2**32}, "seed = 4294967296"),
        ({"stage": "pretrain", "training": {"negatives": 5}}, r"\[training\] negatives = 5.*negatives = 1"),
        ({"stage": "pretrain", "training": {"negatives": 0}}, r"\[training\] negatives = 0.*negatives = 1"),
        ({"mechanism": {"not_strength": 0.0}}, r"not_strength must be positive"),
    ],
)
def test_mistakes_are_named_with_what_is_known(values, said):
    with pytest.raises(RecipeError, match=said):
        recipe_of({"stage": "finetune", **BARE} | values)


def test_changes_override_the_file():
    changes = dict(map(change_of, ["seed=42", "model.boolean=false", "model.start=runs/x/model", "losses.scope=0.5"]))
    recipe = load_recipe(RECIPES / "paper-quest.toml", changes)
    assert (recipe.seed, recipe.model.boolean, recipe.model.start) == (42, False, "runs/x/model")
    assert recipe.losses.scope == 0.5
    assert recipe.training == load_recipe(RECIPES / "paper-quest.toml").training
    with pytest.raises(RecipeError, match="key=value"):
        change_of("seed")
    with pytest.raises(RecipeError, match="sead"):
        load_recipe(RECIPES / "paper-quest.toml", {"sead": 1})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("model={boolean=false}", 'model.boolean.*"model.boolean"'),
        ("training={}", '"training.key"'),
        ("seed.first=1", "seed is not a section"),
    ],
)
def test_a_change_sets_one_key(change, says):
    with pytest.raises(RecipeError, match=says):
        load_recipe(RECIPES / "paper-quest.toml", dict([change_of(change)]))


@pytest.mark.parametrize("path", sorted({*RECIPES.glob("*.toml")} - STUDIES - READERS), ids=lambda path: path.stem)
def test_every_recipe_can_be_read(path):
    recipe = load_recipe(path)
    assert recipe.data.source in SOURCES
    assert (recipe.training.candidates == "corpus") <= (recipe.model.similarity == "cosine")


@pytest.mark.parametrize("path", sorted(READERS), ids=lambda path: path.stem)
def test_every_reader_recipe_names_known_sources_and_their_licences(path):
    recipe = load_reader_recipe(path)
    assert set(recipe.sources) <= set(READER_SOURCES)
    assert set(recipe.sources) - {"real-exclusions", "real-plain"} <= set(recipe.licences)


def test_every_source_of_the_shipped_reader_permits_training():
    recipe = load_reader_recipe(RECIPES / "reader.toml")
    assert set(recipe.sources) | {"start"} == set(recipe.licences)
    refused = re.compile(r"research|none? (?:licence )?stated|no licence|own terms", re.IGNORECASE)
    assert [name for name, licence in recipe.licences.items() if refused.search(licence)] == []
    everything = load_reader_recipe(RECIPES / "reader-everything.toml")
    assert any(refused.search(licence) for licence in everything.licences.values()), "or the test finds nothing"


@pytest.mark.parametrize("path", sorted(STUDIES), ids=lambda path: path.stem)
def test_every_study_can_be_planned(path, tmp_path):
    study = load_study(path)
    runs = plan_study(path, tmp_path)
    assert {run.system for run in runs} == {system.name for system in study.systems}
    assert {name for run in runs for name in run.benchmarks} <= set(BENCHMARKS)
    for run in runs:
        starts = [recipe.model.start for _, recipe in run.stages]
        [system] = (each for each in study.systems if each.name == run.system)
        own = [stage.set["model.start"] for stage in system.stages[:1] if "model.start" in stage.set]
        assert starts[:1] == (own or [study.backbone] if starts else [])
        assert all(start == str(folder / "model") for start, (folder, _) in zip(starts[1:], run.stages, strict=False))


def test_the_number_of_negatives_is_ignored_without_ranking():
    reads = {"stage": "pretrain", **BARE, "losses": {"ranking": 0.0}, "training": {"negatives": 5}}
    assert recipe_of(reads).training.negatives == 5


def test_documents_are_fixed_if_all_are_candidates():
    recipe = recipe_of({"stage": "finetune", **BARE, "training": {"candidates": "corpus", "learns": "adapter"}})
    assert recipe.training.excluded_counts == 1.0  # by default, an excluded document counts once
