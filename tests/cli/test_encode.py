"""``boolattn encode`` on the command line."""

import json

import pytest
from typer.testing import CliRunner

from boolattn.cli import app
from boolattn.retrieval.shards.manifest import Manifest
from boolattn.retrieval.shards.shard_files import read_shard
from tests.backbones.small import backbone

FILMS = [
    {"title": "Alien", "year": 1979, "cast": ["Weaver", "Holm"], "extract": "In space."},
    {"title": "Alien", "year": 1986, "cast": [], "extract": "Again."},
]


@pytest.fixture(scope="module")
def model(tmp_path_factory, minilm_folder) -> str:
    return backbone(tmp_path_factory.mktemp("model"), minilm_folder)


@pytest.fixture
def films(tmp_path):
    path = tmp_path / "films.jsonl"
    path.write_text("".join(json.dumps(film) + "\n" for film in FILMS))
    return path


def run(*arguments):
    result = CliRunner().invoke(app, ["encode", *map(str, arguments)], env={"COLUMNS": "500"})
    return result.exit_code, result.output


def test_films_become_a_folder(tmp_path, films, model):
    call = (films, "--model", model, "--out", tmp_path / "out", "--id", "#", "--text", "extract")
    code, said = run(*call, "--precision", "float16")
    assert code == 0, said
    assert "2 documents in 1 shard," in said and "encoded 2 in this run" in said
    assert f"boolattn index {tmp_path / 'out'} --index lance://index/films" in said
    assert Manifest.read(tmp_path / "out").precision == "float16"
    assert Manifest.read(tmp_path / "out").documents_are is None
    rows = read_shard(tmp_path / "out" / "shard-00000.parquet")
    assert (rows.ids, rows.texts) == (["0", "1"], ["In space.", "Again."])
    assert rows.metadata == [{"cast": "Weaver, Holm", "year": 1979}, {"year": 1986}]
    assert "all documents were already encoded" in run(*call, "--precision", "float16", "--documents", "things")[1]
    assert Manifest.read(tmp_path / "out").documents_are == "things"
    code, said = run(*call)
    assert code == 2 and "precision float16, not float32" in said


def test_mistakes_are_named(tmp_path, films, model):
    out = ("--model", model, "--out", tmp_path / "out")
    for arguments, said in [
        ((films, *out), "no ID"),
        ((films, *out, "--id", "title", "--text", "extract"), "line 2, field 'title'"),
        ((tmp_path / "none.jsonl", *out), "there is no file or folder"),
        ((films, *out, "--workers", 2), "need --ray"),
        ((films.parent, "--model", model, "--out", films.parent, "--id", "#", "--text", "extract"), "is the corpus"),
        ((films, "--model", tmp_path / "none", "--out", "out", "--id", "#", "--text", "extract"), "cannot load"),
    ]:
        code, output = run(*arguments)
        assert code == 2 and said in output
    assert not (tmp_path / "out").exists()
