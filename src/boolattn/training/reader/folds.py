"""How good is a reader's recipe? Five readers, each trained without a fold, read the queries that they never saw."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np

from boolattn.data.query_labels import QueryLabels, read_query_labels
from boolattn.evaluation.benchmarks.exclusions import LABELLED, kinds, real_queries
from boolattn.evaluation.reading_outcome import evaluate_reader
from boolattn.evaluation.tasks import DataFolder, ExclusionTask
from boolattn.reading.learned import LearnedReader, ReaderCard
from boolattn.reading.reading import Reading, Strictness
from boolattn.reading.screen import Screened
from boolattn.training.reader.calibration import Calibration, calibrate
from boolattn.training.reader.export import export_reader
from boolattn.training.reader.held_out import said_of
from boolattn.training.reader.recipe import ReaderRecipe
from boolattn.training.reader.rows import FOLDS, fold_of
from boolattn.training.reader.run import tokenizer_of, train_reader
from boolattn.training.reader.sources import LABELS

READER_FOLDER = "reader"


class FoldReader:
    """Reads each query with the reader that was trained without its fold."""

    def __init__(self, readers: Sequence[LearnedReader]) -> None:
        """Join the readers of all folds, in order."""
        self.readers = [Screened(reader) for reader in readers]
        self.name = f"{readers[0].name}, out of fold"

    def read(self, queries: Sequence[str]) -> list[Reading]:
        """Read queries."""
        found: dict[str, Reading] = {}
        for fold, reader in enumerate(self.readers):
            mine = [query for query in queries if fold_of(query) == fold]
            found |= dict(zip(mine, reader.read(mine), strict=True))
        return [found[query] for query in queries]

    def calibrated(self, calibration: Calibration) -> "FoldReader":
        """Return the same readers with another calibration."""
        return FoldReader([each.reader.calibrated(*calibration) for each in self.readers])  # type: ignore[attr-defined]


def fold_reader(recipe: ReaderRecipe, data: DataFolder, out: Path) -> FoldReader:
    """Train the readers of all folds, or load those that are there; resumable."""
    return FoldReader([_without(recipe, data, out / f"seed-{recipe.seed}-fold-{fold}", fold) for fold in range(FOLDS)])


def _without(recipe: ReaderRecipe, data: DataFolder, out: Path, fold: int) -> LearnedReader:
    network = train_reader(recipe, data, out, hold_out=fold)
    if not (out / READER_FOLDER).is_dir():
        card = ReaderCard(recipe.name, recipe.version)
        export_reader(network, tokenizer_of(recipe), card, out / READER_FOLDER)
    return LearnedReader.load(out / READER_FOLDER)


def measure_recipe(
    recipe: ReaderRecipe, data: DataFolder, out: Path, seeds: Sequence[int], plot: Path | None = None
) -> dict[str, Any]:
    """Train and measure the readers of all folds for each seed; write the calibration of all of them together.

    Args:
        recipe: How to train.
        data: The folder with the sources' data and the labelled queries.
        out: Where checkpoints, readers and ``calibration.json`` go.
        seeds: One set of readers each.
        plot: Where to draw the curve and the reliability plot to.
    """
    readers = {seed: fold_reader(dataclasses.replace(recipe, seed=seed), data, out) for seed in seeds}
    said = [said_of(reader, data) for reader in readers.values()]
    confidences, right, weights = (np.concatenate(each) for each in zip(*said, strict=True))
    reported = confidences > 0
    fitted = calibrate(confidences[reported], right[reported], weights[reported])
    (out / "calibration.json").write_text(json.dumps(fitted._asdict(), indent=2) + "\n", encoding="utf-8")
    calibrated = {seed: reader.calibrated(fitted) for seed, reader in readers.items()}
    if plot is not None:
        from boolattn.training.reader.picture import draw_curve, draw_reliability

        confident = [said_of(reader, data) for reader in calibrated.values()]
        draw_curve(confident, plot / "reader-curve.png")
        draw_reliability(confident, plot / "reader-reliability.png")
    return {
        "recipe": recipe.name,
        "version": recipe.version,
        "calibration": fitted._asdict(),
        "seeds": {seed: measure(reader, data) for seed, reader in calibrated.items()},
    }


def measure(reader: FoldReader, data: DataFolder) -> dict[str, dict[str, Any]]:
    """Return the figures of the held-out labelled sets, at every strictness."""
    return {
        f"{task.name}, {strictness}": evaluate_reader(task, reader, strictness=strictness, progress=False).as_json()
        for task in (real_queries(data), all_wordings(data), kinds(data))
        for strictness in get_args(Strictness)
    }


def all_wordings(data: DataFolder) -> ExclusionTask:
    """Return all realistic queries: of each, the fold's reader has seen none like it."""
    rows: list[QueryLabels] = []
    for name in ("wordings.jsonl", "wordings-dev.jsonl"):
        rows += read_query_labels(LABELS / name, data.skip)
    return ExclusionTask("wordings", rows, LABELLED)
