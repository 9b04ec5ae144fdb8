"""A benchmark through a real index, stage by stage."""

import json
from dataclasses import replace

import pytest
import typer
from ir_measures import nDCG
from lab.tests.benchmarks.data_folder import FILMS, make
from typer.testing import CliRunner

from boolattn import DualEncoder
from boolattn.retrieval.index.memory import MemoryIndex
from boolattn.retrieval.index.protocol import Hit
from boolattn_lab.benchmarks.measures import per_query
from boolattn_lab.benchmarks.sets import load_benchmark
from boolattn_lab.cli.bench_search import pipeline, strengths
from boolattn_lab.costs.pipeline import STAGES, PipelineRetriever, index_documents, measure_pipeline
from boolattn_lab.formats.folder import DataFolder


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def model(minilm_folder):
    return DualEncoder.training_free(str(minilm_folder))


@pytest.fixture
def task(tmp_path):
    found = load_benchmark("negconstraint", DataFolder(make(tmp_path / "data")))
    return replace(found, negated={"q": {"0", "1"}})  # the two westerns


def test_stages_answer_and_are_timed(model, task):
    index = MemoryIndex()
    index_documents(index, model, "MiniLM", task)
    outcomes = {outcome.report.model: outcome for outcome in measure_pipeline(task, model, index)}
    assert list(outcomes) == ["dense", "bm25", *list(STAGES)[1:]]
    for outcome in outcomes.values():
        assert set(outcome.report.measures) == {"R@20", "R@100", "nDCG@10", "violation@20", "ms"}
        assert outcome.report.measures["ms"] > 0
    assert outcomes["hybrid + plan + verification"].report.measures["nDCG@10"] == 1
    [(answers, _)] = outcomes["dense"].run.values()
    assert list(answers) != list(outcomes["dense + plan"].run["q"].documents)


def test_an_index_without_text_has_no_bm25(model, task):
    index = MemoryIndex()
    index.has_text = False
    index_documents(index, model, "MiniLM", task)
    assert [outcome.report.model for outcome in measure_pipeline(task, model, index)] == list(STAGES)


def test_documents_are_indexed_once_with_their_vectors_and_texts(model, task):
    index = MemoryIndex()
    index_documents(index, model, "MiniLM", task)
    assert index.count() == len(FILMS) and len(index.shards()) == 1
    rows = index.fetch(["2"])
    assert "court jester" in rows.texts[0]
    vector = model.encode_document(rows.texts, normalize_embeddings=True)
    assert rows.vectors @ vector[0] == pytest.approx([1], abs=1e-2)
    index.upsert = None  # must not be called again
    index_documents(index, model, "MiniLM", task)


def test_a_benchmark_that_compares_vectors_is_searched_too(model, tmp_path):
    task = load_benchmark("stackfaq", DataFolder(make(tmp_path / "data")))
    index = MemoryIndex()
    index_documents(index, model, "MiniLM", task)
    reports = [outcome.report for outcome in measure_pipeline(task, model, index)]
    assert [report.model for report in reports] == ["dense", "bm25", *list(STAGES)[1:]]
    assert all({"R@100", "nDCG@10", "RR", "ms"} == set(report.measures) - {"R@20"} for report in reports)
    assert reports[0].measures["RR"] == 1


def test_hits_are_ranked_in_the_order_in_which_a_user_sees_them():
    tied = PipelineRetriever("tied", lambda query, k: [Hit("1", 0.5), Hit("3", 0.5), Hit("2", 0.5)])
    run = tied.rank({"q": "any"}, (), 10, 128)
    assert per_query([nDCG @ 1], run, {"q": ["1"]}) == {"nDCG@1": {"q": 1.0}}, "measures sort ties by ID, largest first"


def command(function, *arguments):
    app = typer.Typer()
    app.command()(function)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_command_keeps_its_index(tmp_path, minilm_folder):
    pytest.importorskip("lancedb")
    data, kept = make(tmp_path / "data"), tmp_path / "kept"
    arguments = [
        "negconstraint",
        "--model",
        f"training-free:{minilm_folder}",
        "--data",
        data,
        "--keep",
        kept,
        "--json",
    ]
    first, again = (command(pipeline, *arguments) for _ in range(2))
    assert again.exit_code == 0, again.output
    found = json.loads(again.stdout)
    pairs = dict.fromkeys((row["model"], row["from"]) for row in found["differences"])
    assert list(pairs) == [
        *((name, "dense") for name in ("bm25", *list(STAGES)[1:])),
        *((f"hybrid + {more}", "hybrid") for more in ("plan", "plan + verification")),
    ]
    reports = [json.loads(done.stdout)["reports"] for done in (first, again)]
    assert [[row["measures"]["R@20"] for row in rows] for rows in reports] == [[1.0] * 7] * 2
    assert kept.is_dir()


def test_the_command_refuses_what_cannot_be_searched(tmp_path, minilm_folder):
    done = command(pipeline, "nevir", "--model", f"training-free:{minilm_folder}", "--data", make(tmp_path / "data"))
    assert done.exit_code == 2 and "has no corpus to search" in " ".join(done.output.split())


def test_strengths_say_where_the_data_is_missing(tmp_path, minilm_folder):
    done = command(strengths, "--model", f"training-free:{minilm_folder}", "--data", tmp_path)
    assert done.exit_code == 2 and "films" in done.output
