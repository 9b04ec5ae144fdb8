"""Each step indexes its share of the documents, reports the cost, and drops the index."""

import json

import pytest
from typer.testing import CliRunner

from boolattn.bench import growth
from boolattn.bench.growth import IndexStep, measure_index_growth, plot_index_growth
from boolattn.cli import app
from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import WrongIndexError
from tests.evaluation import data_folder


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(growth, "INDEX_SIZES", (2,))
    return data_folder.make(tmp_path / "data")


@pytest.mark.long
def test_steps_grow_and_nothing_is_left(data, minilm_folder, tmp_path):
    uri = f"lance://{tmp_path}/index/films"
    [few] = measure_index_growth(data, str(minilm_folder), [uri], None)
    all_of_them = growth._step(data, str(minilm_folder), uri, None, None)
    assert (few.backend, few.documents, all_of_them.documents) == ("lance", 2, 6)
    for step in (few, all_of_them):
        assert step.index_seconds > 0 and step.search_ms > 0 and step.disk_mb > 0
        assert step.memory_mb > 100, "a process with torch in it"
    with pytest.raises(WrongIndexError):
        open_index(uri).describe()


def test_a_server_has_to_be_named(data, minilm_folder, monkeypatch):
    command = ["dev", "bench", "index", "--index", "milvus://127.0.0.1:1/films", "--model", str(minilm_folder)]
    done = CliRunner().invoke(app, [*command, "--data", str(data)])
    assert done.exit_code == 2 and "give --server-process" in done.output


def test_the_command_prints_what_was_measured_and_draws_it(tmp_path, monkeypatch):
    steps = [IndexStep(backend, 10**n, n, 2 * n, 30 * n, 400 * n) for backend in ("lance", "milvus") for n in (2, 3)]
    monkeypatch.setattr(growth, "measure_index_growth", lambda *given: iter(steps))
    command = ["dev", "bench", "index", "--index", "lance://index/films", "--model", "m", "--data", str(tmp_path)]
    done = CliRunner().invoke(app, [*command, "--plot", str(tmp_path / "growth.png"), "--json"])
    assert [row["documents"] for row in json.loads(done.stdout)["rows"]] == [100, 1000, 100, 1000]
    assert (tmp_path / "growth.png").read_bytes().startswith(b"\x89PNG")
    assert "1,000" in CliRunner().invoke(app, command).output
    plot_index_growth(steps[:1], tmp_path / "one.png")
