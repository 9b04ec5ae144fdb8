"""``boolattn-lab chaos``, for one or a few rounds, with real processes."""

import json
import tempfile

import pytest
from typer.testing import CliRunner

from boolattn.retrieval.index.description import MissingIndexError
from boolattn.retrieval.index.open_index import open_index
from boolattn_lab.cli import app
from boolattn_lab.costs.failure_drills import disturbed, documents, rounds
from tests.retrieval.index.films import DESCRIPTION


@pytest.fixture
def chaos(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(documents, "SHARDS", 4)
    monkeypatch.setattr(disturbed, "MOST_KILLS", 2)

    def run(uri, *options, code=0):
        done = CliRunner().invoke(app, ["chaos", "--index", uri, "--minutes", "0", *options])
        assert done.exit_code == code, done.output
        return done

    return run


def test_kills_lose_nothing(chaos, lasting_uri):
    found = json.loads(chaos(lasting_uri, "--seed", "3", "--json").stdout)
    assert found["seed"] == 3 and found["rounds"] == 1 and found["index"] == lasting_uri
    assert min(found["kills"][kind] for kind in ("search", "all")) > 0
    assert [found[name] for name in ("lost", "duplicated", "wrong", "wrong_answers", "failures")] == [0, 0, 0, 0, []]
    assert found["documents"] > 250 and found["answers"] > 0
    assert found["incomplete_answers"] <= (2 + 0.02 * found["answers"] if "milvus" in lasting_uri else 0)
    with pytest.raises(MissingIndexError):
        open_index(lasting_uri).count()


def test_rows_removed_behind_its_back_are_reported(chaos, tmp_path, monkeypatch):
    def sabotage(index, expected, former=()):
        index.delete(expected.ids[:3])
        return compare(index, expected, former)

    compare = rounds.faults_of
    monkeypatch.setattr(rounds, "faults_of", sabotage)
    done = chaos(f"lance://{tmp_path}/sabotaged", code=1)
    assert "lost" in done.stdout and "│ 3 " in done.stdout


def test_an_index_that_exists_is_refused(chaos, lasting_uri):
    open_index(lasting_uri).create(DESCRIPTION)
    said = " ".join(chaos(lasting_uri, code=2).output.replace("│", " ").split())
    assert "exists and contains 0 documents" in said


def test_an_index_in_memory_is_refused():
    done = CliRunner().invoke(app, ["chaos", "--index", "memory://x"])
    assert done.exit_code == 2 and "memory://x" in done.output
