"""The studies of the repository, run on small models and data of the same shape."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from boolattn_lab.benchmarks.sets import generated
from boolattn_lab.cli import app
from boolattn_lab.paper import sources
from boolattn_lab.paper.studies.plan import load_study
from boolattn_lab.paper.studies.results import read_results

RECIPES = Path(__file__).parents[3] / "recipes"
MODELS = ("bert-base-uncased", "bert-large-uncased", "sentence-transformers/msmarco-distilbert-dot-v5",
          "sentence-transformers/all-MiniLM-L6-v2")  # fmt: skip


@pytest.fixture
def recipes(start, tmp_path, monkeypatch) -> Path:
    """Return a copy of the recipes that trains a small model for one epoch."""
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path / "cache"))
    shutil.copytree(RECIPES, tmp_path / "recipes")
    for path in (tmp_path / "recipes").glob("*.toml"):
        text = path.read_text(encoding="utf-8")
        for name in MODELS:
            text = text.replace(f'"{name}"', f'"{start}"')
        for key, value in (("epochs", 1), ("batch_size", 8), ("queries", 4), ("validation_queries", 2)):
            text = "\n".join(f"{key} = {value}" if line.startswith(f"{key} = ") else line for line in text.splitlines())
        path.write_text(text + "\n", encoding="utf-8")
    return tmp_path / "recipes"


def _run(command, study, out, *arguments):
    found = CliRunner().invoke(app, [command, str(study), "--out", str(out), *map(str, arguments)])
    assert found.exit_code == 0, found.output
    return found.output


def test_the_papers_tables_and_figure_come_from_one_study(recipes, data, tmp_path):
    study, out = recipes / "paper-study.toml", tmp_path / "out"
    assert load_study(RECIPES / "paper-study.toml").seeds == (0, 42, 1234)
    _run("study", study, out, "--data", data.path, "--seed", 0)
    names = [system.name for system in load_study(study).systems]
    results = read_results(out, names)
    assert list(results) == names
    for [result] in results.values():
        assert not result.left_out
        for measured in result.benchmarks.values():
            given = result.system.startswith("S_") or ("Bool" in result.system.partition(",")[0])
            gate = "learned" if "learned gate" in result.system else "given" if given else None
            assert measured.report.gate == gate
    shown = _run("study-table", study, out, "--markdown", "--against", "BERT-base")
    assert "Difference from BERT-base" in shown
    table_2 = _run("study-table", study, out, "--markdown", "--against", "BERT-base, BoolQuestions")
    assert "| all | Bool-BERT-base, BoolQuestions | RR@10 | " in table_2
    for measure in ("R@20", "R@50", "R@100", "R@1000", "RR@10"):
        assert f" {measure} |" in shown
    only = [part for name in ("BERT-base", "Bool-BERT-base") for part in ("--only", name)]
    shown = _run("study-table", study, out, "--of", "quest", "--by-template", tmp_path / "figure.png", *only)
    assert "Bool-BERT-base" in shown and "two towers" not in shown
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
def test_the_fair_study_runs_every_arm(recipes, data, tmp_path, monkeypatch):
    monkeypatch.setattr(generated, "QUERIES_PER_SLICE", 20)
    monkeypatch.setattr(sources, "GENERATED_TRIPLES", 4)
    study, out = recipes / "fair-study.toml", tmp_path / "out"
    text = study.read_text(encoding="utf-8")
    names = [system.name for system in load_study(study).systems]
    assert names[:2] == ["plain", "repaired mechanism"]
    text = text.replace('"quest-partial-quarter", ', "").replace('"debian", "quest-partial"', '"quest"')
    study.write_text(text.replace(', "debian"', ""), encoding="utf-8")
    _run("study", study, out, "--data", data.path, "--seed", 0)
    results = read_results(out, names)
    assert list(results) == names
    gates = {name: result.benchmarks["films"].report.gate for name, [result] in results.items()}
    assert {name for name, gate in gates.items() if gate == "given"} == {name for name in names if "mechanism" in name}
    assert not any(result.left_out for [result] in results.values())
    rates = _run("study", recipes / "fair-rates.toml", out, "--data", data.path, "--only", "plain, 5e-5")
    assert "best recall@100 on validation queries" in rates
    assert len(list((out / "trained").glob("1-fair-finetune-seed-0-*"))) == 3, "a training of the same recipe is shared"
