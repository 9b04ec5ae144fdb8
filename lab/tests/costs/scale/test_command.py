"""The whole command on a few thousand vectors: figures, resuming, tables."""

import json
from random import Random

import numpy as np
import pytest
import zstandard
from typer.testing import CliRunner

from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import IndexDescription
from boolattn_lab.cli import app
from boolattn_lab.costs.scale.place import FINGERPRINT, Place, drop_leftover
from boolattn_lab.costs.scale.searching import FILTERS, passes, recall
from boolattn_lab.costs.scale.vectors import ScaledVectors, share_of_jitter
from tests.backbones.small import backbone

WORDS = ["kites", "boats", "trains", "drums", "wolves", "lamps", "roses", "Peru", "Chad", "Nepal", "Cuba", "old", "new"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("data"), Random(0)
    pages = [{"title": str(n), "text": " ".join(rng.choices(WORDS, k=12))} for n in range(600)]
    queries = [
        {"query": f"{one} that are not {other}", "docs": [], "metadata": {"template": "_ that are not _"}}
        for one in WORDS
        for other in WORDS[:4]
    ]
    for name, rows in (("wiki-intros/wiki_intros.jsonl.zst", pages), ("films/films.jsonl.zst", []),
                       ("quest/train.jsonl", queries), ("quest/val.jsonl", [])):  # fmt: skip
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        text = "".join(json.dumps(row) + "\n" for row in rows).encode()
        path.write_bytes(zstandard.compress(text) if path.suffix == ".zst" else text)
    return folder


@pytest.fixture(scope="module")
def command(data, tmp_path_factory, minilm_folder):
    model = backbone(tmp_path_factory.mktemp("model"), minilm_folder)
    out = tmp_path_factory.mktemp("out")
    given = ["scale", "--model", model, "--data", str(data), "--out", str(out)]
    return [*given, "--real", "500", "--queries", "10"], out


def test_an_index_is_measured_once_and_dropped(command):
    given, out = command
    parts = ["--sizes", "6000", "--part", "engines", "--part", "ivf-pq", "--part", "quantisation"]
    done = CliRunner().invoke(app, [*given, *parts], env={"COLUMNS": "250"})
    assert done.exit_code == 0, done.output
    found = json.loads((out / "lance-6000-of-500.json").read_text())
    assert (found["vectors"], found["real"], found["seed"]) == (6000, 500, 0)
    assert found["date"] and found["machine"] and found["load"]
    for kind in ("plain", "signed"):
        assert set(found["searches"][kind]) == {"none", "10 %", "1 %"}
        assert found["searches"][kind]["none"]["recall"] > 0.9
        assert found["searches"][kind]["none"]["bare"]["recall"] == found["searches"][kind]["none"]["recall"]
        assert found["candidates"]["1600"][kind]["recall"] >= found["candidates"]["200"][kind]["recall"]
    assert found["build_cpu_seconds"] > 0 and found["query_cpu_ms"] > 0
    assert found["index_seconds"] > 0 and found["disk_mb"] > found["index_mb"] > 6000 * 32 / 1024**2
    assert not list((out / "lance").glob("*.lance")), "indexes are dropped"

    kept = {path: path.read_bytes() for path in out.glob("*.json")}
    again = CliRunner().invoke(app, [*given, *parts])
    assert again.exit_code == 0 and kept == {path: path.read_bytes() for path in out.glob("*.json")}


def test_results_of_several_sizes_are_shown(command, tmp_path):
    given, out = command
    for name in ("lance-6000-of-500", "ivf-pq-6000-of-500"):
        found = json.loads((out / f"{name}.json").read_text())
        for times in (1, 2, 4):
            grown = {key: times * value if isinstance(value, int | float) else value for key, value in found.items()}
            (tmp_path / f"{name}-{times}.json").write_text(json.dumps(grown))
    done = CliRunner().invoke(app, [*given, "--out", str(tmp_path), "--part", "none"], env={"COLUMNS": "250"})
    assert done.exit_code == 0, done.output
    as_markdown = CliRunner().invoke(app, [*given, "--out", str(tmp_path), "--part", "none", "--markdown"])
    assert "| lance | 24,000 |" in as_markdown.output
    for title in ("building (measured)", "LanceDB's IVF_PQ (measured)"):
        assert title in done.output


def test_the_exact_neighbours_are_those_of_all_vectors(command):
    _, out = command
    path = out / "vectors" / "real-0-500.npy"
    vectors = np.load(path)
    scaled = ScaledVectors(path, 500, share_of_jitter(vectors, 0), 0)
    many = np.concatenate([some for _, some in scaled.blocks(6000)])
    with (
        np.load(out / "vectors" / "queries-0-10.npz") as queries,
        np.load(out / "vectors" / "exact-6000-of-500-10.npz") as exact,
    ):
        assert not np.allclose(queries["plain"], queries["signed"])
        for kind in ("plain", "signed"):
            near, scores = exact[f"{kind}|none"], queries[kind] @ many.T
            for row, scored in zip(near, scores, strict=True):
                assert set(row) == set(np.argsort(-scored, kind="stable")[:100])
            assert (exact[f"{kind}|1 %"] % 100 == 0).all()


def test_recall_counts_what_was_found():
    assert recall([["1", "2"], ["3", "9"]], np.array([[1, 2], [3, 4]])) == 0.75


def test_filters_select_what_their_names_say():
    numbers = np.arange(1000)
    assert {name: passes(numbers, name).sum() for name in FILTERS} == {"none": 1000, "10 %": 100, "1 %": 10}


def test_an_index_of_someone_else_is_not_dropped(tmp_path):
    place = Place(f"lance://{tmp_path}/mine", None)
    index = open_index(place.uri)
    index.create(IndexDescription("another", "another", 4, "cosine"))
    with pytest.raises(ValueError, match="exists already"):
        drop_leftover(place)
    index.drop()
    index.create(IndexDescription(FINGERPRINT, "left", 4, "cosine"))
    drop_leftover(place)
    drop_leftover(place)  # nothing is there any more


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--part", "everything"], "use one of encoding"),
        (["--sizes", "many"], "write numbers"),
        (["--engine", "milvus://127.0.0.1:1"], "--server-process"),
        (["--seed", "7", "--part", "quantisation"], "use the same settings, or another --out"),
    ],
)
def test_wrong_options_are_explained(command, wrong, message):
    done = CliRunner().invoke(app, [*command[0], *wrong])
    assert done.exit_code == 2 and message in " ".join(done.output.replace("│", " ").split())
