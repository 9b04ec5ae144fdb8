import gc
import json
import shutil
import weakref

import pytest
from lab.tests.paper.studies.conftest import without_times
from sentence_transformers import SentenceTransformer

from boolattn_lab.benchmarks.evaluate import evaluate
from boolattn_lab.benchmarks.sets import BENCHMARKS, load_benchmark
from boolattn_lab.benchmarks.systems import load_system
from boolattn_lab.benchmarks.tasks import PairTask, RetrievalTask
from boolattn_lab.paper.studies import run_study as running
from boolattn_lab.paper.studies.plan import StudyError, plan_study
from boolattn_lab.paper.studies.results import Result
from boolattn_lab.paper.studies.run_study import run_study
from tests.forked import run_python

TWO = ["without BoolAttn", "BoolAttn"]
# Runs two systems, and dies by kill -9 in the second stage of the second.
DIES = """
import os, signal, sys
from pathlib import Path
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.paper.sampling import DrawAnew
from boolattn_lab.paper.studies.plan import plan_study
from boolattn_lab.paper.studies.run_study import run_study

study, data, out = map(Path, sys.argv[1:])

def die(self, args, state, control, **kwargs):
    if "2-quest" in args.output_dir and state.global_step == 5:
        os.kill(os.getpid(), signal.SIGKILL)

DrawAnew.on_step_end = die
run_study(plan_study(study, out, seeds=[0], only=["without BoolAttn", "BoolAttn"]), DataFolder(data), out, print)
"""


def _run(study, data, out, **choice):
    told = []
    run_study(plan_study(study, out, **choice), data, out, told.append)
    return told


def _files(out):
    return {path.name: without_times(path) for path in (out / "results").glob("*")}


def test_a_killed_study_resumes_to_the_same_results(study, data, tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    _run(study, data, whole, seeds=[0], only=TWO)
    assert run_python("-c", DIES, str(study), str(data.path), str(killed), check=False).returncode == -9
    first, second = "without BoolAttn-seed-0.json", "BoolAttn-seed-0.json"
    assert set(_files(killed)) == {first}
    stamp = (killed / "results" / first).stat().st_mtime_ns
    told = _run(study, data, killed, seeds=[0], only=TWO)
    assert "without BoolAttn-seed-0, already done" in told[0]
    [resumed] = (killed / "trained").glob("2-quest-seed-0-*/results.json")
    assert json.loads(resumed.read_text())["resumed_from"] == "checkpoint-4"
    assert _files(killed) == _files(whole)
    assert set(_files(whole)) == {first, second}
    assert (killed / "results" / first).stat().st_mtime_ns == stamp

    stamps = {path: path.stat().st_mtime_ns for path in killed.rglob("*.json")}
    assert all("already done" in each for each in _run(study, data, killed, seeds=[0], only=TWO))
    assert {path: path.stat().st_mtime_ns for path in killed.rglob("*.json")} == stamps


def test_the_result_file_has_the_evaluation_and_its_provenance(study, data, start, tmp_path):
    _run(study, data, tmp_path / "out", only=["bare", "without BoolAttn"])
    trained = json.loads((tmp_path / "out" / "results" / "without BoolAttn-seed-0.json").read_text())
    assert (trained["system"], trained["seed"], trained["model"]) == ("without BoolAttn", 0, None)
    [recipe] = trained["recipes"]
    assert (recipe["model"]["boolean"], recipe["training"]["epochs"], recipe["training"]["margin"]) == (False, 1, 1.0)
    assert trained["stages"][0]["folder"].startswith("1-quest-seed-0-") and trained["stages"][0]["steps"] == 2
    assert "use 'rules'" in trained["left_out"]["quest-gate"]

    result = Result.read(tmp_path / "out" / "results" / "bare.json")
    measured = result.benchmarks["films"]
    task = load_benchmark("films", data)
    outcome = evaluate(task, load_system(start, progress=False))
    assert measured.report.measures == outcome.report.measures
    assert measured.report.model == "bare"
    assert measured.report.by_template == outcome.report.by_template
    assert {name: part.by_template for name, part in measured.report.slices.items()} == {
        name: part.by_template for name, part in outcome.report.slices.items()
    }
    assert measured.provenance.cpus and measured.provenance.versions["torch"] and measured.provenance.seconds >= 0
    for measure in ("R@100", "nDCG@10", "violation@20"):
        kept = {}
        for part, templates in measured.by_query.items():
            for template, columns in templates.items():
                values = columns.of(measure)
                assert all(task.slice_of[query] == part for query in values)
                assert all(task.template_of[query] == template for query in values)
                kept |= values
        assert kept == pytest.approx(outcome.values[measure], abs=1e-6)
        assert len(kept) == len(outcome.values[measure])
    assert set(columns.values) == {"R@100", "nDCG@10", "violation@20"}


def test_a_benchmark_added_later_needs_no_training(study, data, tmp_path):
    _run(study, data, tmp_path, only=["without BoolAttn"])
    path = tmp_path / "results" / "without BoolAttn-seed-0.json"
    quest = Result.read(path).benchmarks["quest"]
    [model] = (tmp_path / "trained").glob("1-quest-seed-0-*/model/model.safetensors")
    written = model.stat().st_mtime_ns
    study.write_text(study.read_text().replace('"quest-gate"]', '"quest-gate", "films"]'))
    told = _run(study, data, tmp_path, only=["without BoolAttn"])
    assert [each for each in told if "evaluating" in each] == ["without BoolAttn-seed-0: evaluating films"]
    assert model.stat().st_mtime_ns == written
    result = Result.read(path)
    assert result.benchmarks["quest"] == quest
    assert set(result.benchmarks) == {"quest", "films"}


@pytest.mark.parametrize("lost", ["", "model"])
def test_a_model_trained_again_is_not_mixed_with_the_results_of_the_first(study, data, tmp_path, lost):
    _run(study, data, tmp_path, only=["without BoolAttn"])
    path = tmp_path / "results" / "without BoolAttn-seed-0.json"
    before = path.read_bytes()
    [trained] = (tmp_path / "trained").iterdir()
    shutil.rmtree(trained / lost)
    assert "already done" in _run(study, data, tmp_path, only=["without BoolAttn"])[0], "nothing is missing"
    study.write_text(study.read_text().replace('"quest-gate"]', '"quest-gate", "films"]'))
    with pytest.raises(StudyError, match=r"deleted or trained again: use another --out"):
        _run(study, data, tmp_path, only=["without BoolAttn"])
    assert not (trained / lost).exists()
    _run(study, data, tmp_path / "elsewhere", only=["without BoolAttn"])
    shutil.rmtree(trained, ignore_errors=True)
    shutil.copytree(tmp_path / "elsewhere" / "trained" / trained.name, trained)
    with pytest.raises(StudyError, match=r"deleted or trained again: use another --out"):
        _run(study, data, tmp_path, only=["without BoolAttn"])
    assert path.read_bytes() == before


def test_two_systems_that_share_a_model_are_not_given_different_trainings_of_it(study, data, tmp_path):
    _run(study, data, tmp_path, only=["without BoolAttn"])
    shutil.rmtree(tmp_path / "trained")
    same = study.read_text().partition('name = "without BoolAttn"\n')[2].partition("[[systems]]")[0]
    study.write_text(f'{study.read_text()}\n[[systems]]\nname = "the same"\n{same}')
    with pytest.raises(StudyError, match=r"the same-seed-0 needs the model in .*without BoolAttn-seed-0.json"):
        _run(study, data, tmp_path, only=["the same"])
    assert not (tmp_path / "trained").exists()


def test_queries_are_rewritten_for_a_model_trained_once(study, data, tmp_path):
    rewritten = study.read_text().partition('name = "without BoolAttn"\n')[2].partition("[[systems]]")[0]
    study.write_text(f'{study.read_text()}\n[[systems]]\nname = "rewriting"\nrewritten = true\n{rewritten}')
    study.write_text(study.read_text().replace('"quest", "quest-gate"', '"films"'))
    names = ["without BoolAttn", "rewriting"]
    _run(study, data, tmp_path, seeds=[0], only=names)
    assert len(list((tmp_path / "trained").iterdir())) == 1
    reports = [Result.read(tmp_path / "results" / f"{name}-seed-0.json").benchmarks["films"].report for name in names]
    plain, rewriting = (report.slices["meaning"].by_template for report in reports)
    assert [report.model for report in reports] == names
    assert {template for template in plain if plain[template] != rewriting[template]} == {
        template for template in plain if "not" in template.split()
    }


def test_other_recipes_or_another_model_are_refused_before_anything_is_run(study, data, tmp_path):
    _run(study, data, tmp_path, only=["rules", "without BoolAttn"])
    study.write_text(study.read_text().replace('"training.epochs" = 1', '"training.epochs" = 2'))
    with pytest.raises(StudyError, match=r"without BoolAttn-seed-0.json .*another --out, or delete it$"):
        _run(study, data, tmp_path)
    assert not (tmp_path / "results" / "bare.json").exists()
    study.write_text(study.read_text().replace('"rules"\n\n', '"bm25"\n\n'))
    with pytest.raises(StudyError, match=r"rules.json .*another --out, or delete it$"):
        _run(study, data, tmp_path, only=["rules"])


def test_missing_data_is_reported_before_training(study, data, tmp_path):
    study.write_text(study.read_text().replace("quest-gate", "negconstraint"))
    with pytest.raises(FileNotFoundError, match="negconstraint needs"):
        _run(study, data, tmp_path / "out", only=["BoolAttn"])
    assert not (tmp_path / "out").exists()


def test_a_benchmark_without_operators_is_skipped_for_given_gates(study, data, tmp_path, monkeypatch):
    queries = {"q": "kites but not of Peru"}
    pages = RetrievalTask("stackfaq", queries, lambda: [("d", "Kites.")], {"q": {"d"}}, document_tokens=24)
    pairs = PairTask("nevir", queries, {"q": ("d", "e")}, {"d": "Kites.", "e": "Boats."}, document_tokens=24)
    monkeypatch.setitem(BENCHMARKS, "stackfaq", lambda _: pages)
    monkeypatch.setitem(BENCHMARKS, "nevir", lambda _: pairs)
    study.write_text(study.read_text().replace('"quest", "quest-gate"', '"stackfaq", "nevir", "quest"'))
    told = _run(study, data, tmp_path, seeds=[0], only=["BoolAttn"])
    result = Result.read(tmp_path / "results" / "BoolAttn-seed-0.json")
    assert set(result.benchmarks) == {"quest"}
    assert result.benchmarks["quest"].report.gate == "given"
    assert all("use a learned gate" in result.left_out[name] for name in ("stackfaq", "nevir"))
    assert "skipping stackfaq" in told[1] and "training" in told[3], "what cannot be measured shows before the training"
    assert all("already done" in each for each in _run(study, data, tmp_path, seeds=[0], only=["BoolAttn"]))


def _models():
    return [each for each in gc.get_objects() if isinstance(each, SentenceTransformer)]


def test_models_are_freed_between_runs(study, data, tmp_path, monkeypatch):
    alive, others = [], {id(each) for each in _models()}  # fixtures of other tests

    def load(name):
        assert not [model for each in alive if (model := each()) is not None]
        system = load_system(name, progress=False)
        alive.append(weakref.ref(system.model))
        return system

    monkeypatch.setattr(running, "load_system", load)
    text = study.read_text().replace(
        'name = "rules"\nmodel = "rules"', 'name = "b2"\nmodel = "training-free:{backbone}"'
    )
    study.write_text(text)
    gc.disable()
    try:
        _run(study, data, tmp_path, only=["b2", "bare", "without BoolAttn"])
    finally:
        gc.enable()
    assert len(alive) == 3
    assert {id(each) for each in _models()} <= others
