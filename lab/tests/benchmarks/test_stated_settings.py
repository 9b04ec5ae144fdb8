"""Settings reported with the figures: a mechanism's gate, and the maximum document length."""

import json
import warnings
from dataclasses import replace

import pytest
from lab.tests.benchmarks import data_folder
from lab.tests.paper import small
from sentence_transformers import SentenceTransformer
from typer.testing import CliRunner

from boolattn_lab.benchmarks.evaluate import evaluate
from boolattn_lab.benchmarks.sets import load_benchmark
from boolattn_lab.benchmarks.systems import load_system
from boolattn_lab.cli import app
from boolattn_lab.paper.models import build_model, limit_lengths


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path / "cache"))


def _saved(start, folder, **sections) -> str:
    recipe = small.recipe("finetune", start, "quest", **sections)
    model = build_model(recipe)
    limit_lengths(model, recipe)
    model.save(str(folder))
    return str(folder)


def _run(data, *arguments):
    found = CliRunner().invoke(app, ["evaluate", "quest", "--data", str(data.path), "--json", *arguments])
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout[found.stdout.index("{") :])


def test_a_gate_from_pretraining_is_reported_with_a_warning(start, data, tmp_path):
    model = _saved(start, tmp_path / "model")  # gates = "given", yet it has a learned gate
    with pytest.warns(
        UserWarning, match=r"on quest, .* was trained with given gates, but uses the learned gate.*--given-operators"
    ):
        assert _run(data, "--model", model)["gate"] == "learned"
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert _run(data, "--model", model, "--given-operators")["gate"] == "given"


def test_a_gate_that_stays_closed_is_reported_with_a_warning(start, data, tmp_path):
    model = _saved(start, tmp_path / "model", mechanism={"gate": "given"})
    with pytest.warns(UserWarning, match="gets no operators, so its mechanism does nothing: use --given-operators"):
        assert _run(data, "--model", model)["gate"] == "closed"


def test_a_model_without_its_required_scopes_is_not_reported_as_given_gates(start, data, tmp_path):
    model = _saved(start, tmp_path / "model", training={"scopes": "given"})
    with pytest.warns(UserWarning, match="was trained with given scopes but gets none"):
        assert _run(data, "--model", model, "--given-operators")["gate"] == "closed"


def test_models_without_a_mechanism_report_no_gate(start, data, tmp_path):
    trained = _saved(start, tmp_path / "model", mechanism={"gate": "learned"}, training={"gates": "learned"})
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        together = _run(data, "--model", start, "--model", f"training-free:{start}", "--model", trained)
    assert [report.get("gate") for report in together["reports"]] == [None, None, "learned"]
    given = _run(data, "--model", start, "--model", f"training-free:{start}", "--given-operators")
    assert [report.get("gate") for report in given["reports"]] == [None, "given"]
    shown = CliRunner().invoke(app, ["evaluate", "quest", "--data", str(data.path), "--model", trained, "--markdown"])
    assert "(gate: learned)" in shown.output


def test_operators_cannot_be_given_where_they_are_not_labelled(start, tmp_path):
    folder = data_folder.make(tmp_path / "pairs")
    model = _saved(start, tmp_path / "model")
    shared = ["evaluate", "nevir", "--data", str(folder), "--model", model]
    refused = CliRunner().invoke(app, [*shared, "--given-operators"], env={"COLUMNS": "400"})
    assert refused.exit_code == 2
    assert "nevir has no operators to give to a model: remove --given-operators" in refused.output
    with pytest.warns(UserWarning, match="earlier stage: this benchmark has no labelled operators to give"):
        assert CliRunner().invoke(app, shared).exit_code == 0


def test_the_board_states_the_gate_too(start, tmp_path):
    folder = data_folder.make(tmp_path / "pairs")
    model = _saved(start, tmp_path / "model")
    shared = ["evaluate", "board", "--data", str(folder), "--only", "nevir", "--model", model, "--model", start]
    with pytest.warns(
        UserWarning, match="on the board, .* uses the learned gate of an earlier stage: the board does not"
    ):
        shown = CliRunner().invoke(app, [*shared, "--json"])
    boards = json.loads(shown.stdout[shown.stdout.index("{") :])["boards"]
    assert [board.get("gate") for board in boards] == ["learned", None]
    with pytest.warns(UserWarning, match="uses the learned gate"):
        assert "(gate: learned)" in CliRunner().invoke(app, [*shared, "--markdown"]).output


def test_a_system_that_reads_whole_documents_states_no_length(data):
    assert "document_tokens" not in _run(data, "--model", "bm25")


@pytest.mark.parametrize("trained_length", [24, 64])
def test_a_benchmark_has_one_document_length_for_all_models(start, data, tmp_path, trained_length, monkeypatch):
    lengths = set()
    forward = SentenceTransformer.preprocess

    def record(self, inputs, *args, task=None, **kwargs):
        features = forward(self, inputs, *args, task=task, **kwargs)
        if task == "document":
            lengths.add(features["input_ids"].shape[1])
        return features

    monkeypatch.setattr(SentenceTransformer, "preprocess", record)
    trained = _saved(start, tmp_path / "model", model={"boolean": False, "document_tokens": trained_length})
    task = replace(
        load_benchmark("quest", data), documents=lambda: [("kites Peru", "kites " * 200)], document_tokens=40
    )
    for name in (start, trained):
        outcome = evaluate(task, load_system(name, progress=False))
        assert outcome.report.as_json()["document_tokens"] == 40
    assert lengths == {40}
    saved = SentenceTransformer(trained)
    assert saved.preprocess(["kites " * 200], task="document")["input_ids"].shape[1] == trained_length


def test_quest_uses_the_papers_document_length(data):
    assert load_benchmark("quest", data).document_tokens == 256
