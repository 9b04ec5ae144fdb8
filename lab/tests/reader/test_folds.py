"""Cross-validating a recipe on queries that its readers were not trained on."""

import json

import msgspec
import pytest
import zstandard

from boolattn.reading.learned import Calibrations, LearnedReader
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.hashed_labels import LABELS
from boolattn_lab.formats.skipping import SkipBad
from boolattn_lab.reader import folds, rows
from boolattn_lab.reader.folds import measure_recipe
from boolattn_lab.reader.recipe import ReaderRecipe
from boolattn_lab.reader.run import train_reader


@pytest.fixture
def data(tmp_path):
    """A data folder whose real queries are the project's own labelled ones."""
    labels = [json.loads(line) for line in (LABELS / "kinds.jsonl").read_text().splitlines()]
    for name in ("real-queries", "kinds"):
        (tmp_path / "data" / name).mkdir(parents=True)
    (tmp_path / "data" / "kinds" / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
    labelled = [{"query": r["query"], "excluded": r["excluded"] if r["kind"] == "topic" else []} for r in labels[:200]]
    (tmp_path / "data" / "real-queries" / "labelled.jsonl").write_text("".join(json.dumps(r) + "\n" for r in labelled))
    others = "".join(json.dumps({"query": row["query"]}) + "\n" for row in labels[200:])
    for name in ("real-queries", "web-queries", "shop"):
        (tmp_path / "data" / name).mkdir(exist_ok=True)
        (tmp_path / "data" / name / "queries.jsonl.zst").write_bytes(zstandard.compress(others.encode()))
    for name in ("shop", "requests"):
        (tmp_path / "data" / name).mkdir(exist_ok=True)
        rows = [row | {"documents": documents} for row in labels[:200] for documents in ("things", "pages")]
        (tmp_path / "data" / name / "labelled.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "data" / "requests" / "unlabelled.jsonl").write_text("")
    return DataFolder(tmp_path / "data", SkipBad())


@pytest.mark.long
def test_a_recipe_is_measured_seed_by_seed_and_as_their_mean(start, data, tmp_path, monkeypatch):
    for module in (rows, folds):
        monkeypatch.setattr(module, "FOLDS", 2)  # to save time
    recipe = ReaderRecipe(
        name="small", version="0", start=start, layers=1, sources={"kinds": 0.2}, epochs=1, batch_size=8,
        learning_rate=1e-3, head_learning_rate=1e-2, seeds=[0, 1],
    )  # fmt: skip
    (tmp_path / "pictures").mkdir()
    found = measure_recipe(recipe, data, tmp_path / "out", tmp_path / "pictures")
    assert found["recipe"] == "small" and list(found["readers"]) == ["seed 0", "seed 1", "mean"]
    assert all(figures["kinds, safe"]["queries"] == 400 for figures in found["readers"].values())
    written = msgspec.json.decode((tmp_path / "out" / "calibrations.json").read_bytes(), type=Calibrations)
    assert set(written) == {"things", "pages"} and written["things"] != written["pages"]
    assert all(each.thresholds == recipe.thresholds[documents] for documents, each in written.items())
    assert {path.name for path in (tmp_path / "pictures").iterdir()} == {"reader-curve.png", "reader-reliability.png"}
    assert LearnedReader.load(tmp_path / "out" / "reader").card.calibrations == written
    weights = sorted((tmp_path / "out").rglob("reader.safetensors"))
    assert len(weights) == 4
    times = [path.stat().st_mtime_ns for path in weights]
    train_reader(recipe, data, tmp_path / "out" / "fold-1", hold_out=1)
    assert [path.stat().st_mtime_ns for path in weights] == times, "what is there is not trained again"
