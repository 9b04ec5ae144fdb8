import pytest

from boolattn_lab.paper.recipes import RecipeError
from boolattn_lab.paper.studies.plan import StudyError, plan_study


def test_every_trained_system_is_run_with_every_seed_and_the_others_once(study, start, tmp_path):
    runs = plan_study(study, tmp_path / "out")
    assert [run.name for run in runs] == [
        "rules", "bare", "without BoolAttn-seed-0", "BoolAttn-seed-0", "BoolAttn-seed-1"
    ]  # fmt: skip
    _, bare, plain, _, boolattn = runs
    assert bare.model == start
    assert bare.benchmarks == ("films",) and plain.benchmarks == ("quest", "quest-gate")
    (_, recipe), = plain.stages  # fmt: skip
    assert (recipe.model.start, recipe.model.boolean, recipe.training.epochs) == (start, False, 1)
    (first, read), (second, adapted) = boolattn.stages
    assert [read.seed, adapted.seed] == [1, 1]
    assert (read.stage, adapted.stage) == ("pretrain", "finetune")
    assert (read.model.start, adapted.model.start) == (start, str(first / "model"))
    assert second.parent == tmp_path / "out" / "trained" and second.name.startswith("2-quest-seed-1-")
    assert boolattn.model == str(second / "model")
    assert boolattn.noted["recipes"][1]["model"]["start"] == f"trained/{first.name}/model"
    noted = str([run.noted for run in runs])
    assert str(tmp_path) not in noted and start not in noted  # runs do not depend on their location


def test_backbone_seeds_and_systems_may_be_chosen(study, tmp_path):
    runs = plan_study(study, tmp_path, "some/other", [7], ["bare", "BoolAttn"])
    assert [run.name for run in runs] == ["bare", "BoolAttn-seed-7"]
    assert runs[0].model == runs[1].stages[0][1].model.start == "some/other"
    with pytest.raises(StudyError, match="no system 'bear'; it has rules, bare"):
        plan_study(study, tmp_path, only=["bear"])


def test_systems_share_only_their_common_first_stages(study, tmp_path):
    longer = """
[[systems]]
name = "longer"
stages = [{ recipe = "recipes/sentences.toml" }, { recipe = "recipes/quest.toml", set = { "training.epochs" = 9 } }]
"""
    study.write_text(study.read_text() + longer)
    runs = plan_study(study, tmp_path, seeds=[0, 1], only=["BoolAttn", "longer"])
    (first, second), (other_seed, _), (shared, third), _ = [[folder for folder, _ in run.stages] for run in runs]
    assert first == shared != other_seed
    assert second != third


PLAIN = '"model.boolean" = false'
REWRITING = f"""
[[systems]]
name = "rewriting"
rewritten = true
stages = [{{ recipe = "recipes/quest.toml", set = {{ "training.epochs" = 1, {PLAIN} }} }}]
"""


def test_a_trained_model_may_be_evaluated_with_rewritten_queries(study, tmp_path):
    study.write_text(study.read_text() + REWRITING)
    plain, rewriting = plan_study(study, tmp_path, seeds=[0], only=["without BoolAttn", "rewriting"])
    assert rewriting.stages == plain.stages, "trained once"
    assert rewriting.model == f"rewritten:{plain.model}"
    assert rewriting.noted != plain.noted


@pytest.mark.parametrize(
    ("instead", "says"),
    [
        ('"model.boolean" = true', "set model.boolean = false"),
        (
            f'{PLAIN} }} }}, {{ recipe = "recipes/quest.toml", set = {{ "model.boolean" = true',
            "set model.boolean = false",
        ),
        (f'{PLAIN}, "training.gates" = "words"', "cannot rewrite queries that start with operator words"),
    ],
)
def test_only_a_plain_model_s_queries_are_rewritten(study, tmp_path, instead, says):
    study.write_text(study.read_text() + REWRITING.replace(PLAIN, instead))
    with pytest.raises(StudyError, match=says):
        plan_study(study, tmp_path, only=["rewriting"])


def test_results_name_an_untrained_model_with_its_prefix_but_without_its_path(study, start, tmp_path):
    text = study.read_text().replace('model = "{backbone}"', 'model = "PREFIX{backbone}"')
    titles = []
    for prefix in ("", "training-free:", "rewritten:", "flip:0.5:"):
        study.write_text(text.replace("PREFIX", prefix))
        [run] = plan_study(study, tmp_path, only=["bare"])
        assert run.model == prefix + start
        titles.append(run.noted["model"].removeprefix(prefix))
    assert len(set(titles)) == 1 and start not in titles[0]


def test_an_empty_list_of_benchmarks_replaces_the_study_s(study, tmp_path):
    study.write_text(study.read_text().replace("seeds = [0]\n", "seeds = [0]\nbenchmarks = []\n"))
    assert [run.benchmarks for run in plan_study(study, tmp_path, only=["without BoolAttn"])] == [()]


def test_a_stage_may_start_elsewhere(study, tmp_path):
    study.write_text(study.read_text().replace('{ "model.boolean"', '{ "model.start" = "elsewhere", "model.boolean"'))
    [run] = plan_study(study, tmp_path, only=["without BoolAttn"])
    assert run.stages[0][1].model.start == "elsewhere"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("seeds = [0, 1]", "sead = 1", r"unknown field `sead`.*a study has .*seeds"),
        ("seeds = [0, 1]", 'seeds = ["0"]', "int"),
        ('model = "rules"', 'modle = "rules"', r"unknown field `modle`.*a system has name, model"),
        ('recipe = "recipes/sentences.toml"', 'recip = "x"', r"a stage has recipe, set"),
        ('model = "rules"', "", "needs either a model or stages"),
        ("seeds = [0]\n", 'model = "x"\n', "either a model or stages"),
        ('model = "rules"', 'model = "rules"\nrewritten = true', "'rules' needs model = 'rewritten:NAME'"),
        ('name = "bare"', 'name = "rules"', "called 'rules'"),
        ('name = "bare"', 'name = "a/b"', "remove the slashes"),
        ('benchmarks = ["films"]', 'benchmarks = ["filsm"]', "no benchmark 'filsm'; choose from films"),
        ('"model.boolean" = false', '"seed" = 3', "must not set seed: seeds come from the study"),
        ('recipe = "recipes/quest.toml" }', 'recipe = "recipes/quest.toml", set = { "model.start" = "x" } }',
         "must not set model.start: it starts from the previous stage's model"),
        ("backbone = ", "# ", "set a backbone in the study, or pass --backbone"),
        ("seeds = [0, 1]", "seeds = ", "study.toml"),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_the_fix(study, tmp_path, old, new, says):
    text = study.read_text()
    assert old in text
    study.write_text(text.replace(old, new, 1))
    with pytest.raises(StudyError, match=says):
        plan_study(study, tmp_path)


def test_a_mistake_in_a_later_recipe_is_reported_immediately(study, tmp_path):
    study.write_text(study.read_text().replace('"training.epochs" = 1', '"training.epoch" = 1'))
    with pytest.raises(RecipeError, match="no 'epoch'"):
        plan_study(study, tmp_path)


def test_an_unquoted_key_with_a_dot_does_not_replace_a_section(study, tmp_path):
    study.write_text(study.read_text().replace('"model.boolean" = false', "model.boolean = false"))
    with pytest.raises(RecipeError, match=r'"model\.boolean"'):
        plan_study(study, tmp_path)
