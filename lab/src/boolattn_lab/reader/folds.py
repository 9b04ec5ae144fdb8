"""Cross-validate a reader recipe: five readers, each trained without one fold, read the queries they never saw."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from boolattn.reading.learned import CARD_FILE, LearnedReader, ReaderCard
from boolattn.reading.reading import Reading, Strictness
from boolattn.reading.screen import Screened
from boolattn_lab.benchmarks.reading_outcome import evaluate_reader
from boolattn_lab.benchmarks.sets.exclusions import LABELLED, kinds, real_queries
from boolattn_lab.benchmarks.tasks import ExclusionTask
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.hashed_labels import LABELS
from boolattn_lab.formats.query_labels import QueryLabels, read_query_labels
from boolattn_lab.reader.export import export_reader
from boolattn_lab.reader.held_out import Calibration, Said, calibrate, said_of
from boolattn_lab.reader.recipe import ReaderRecipe
from boolattn_lab.reader.rows import FOLDS, fold_of
from boolattn_lab.reader.run import WEIGHTS_FILE, mean_network, ship_reader, tokenizer_of, train_reader

MEAN = "mean"  # of the seeds, as shipped


class FoldReader:
    """Reads each query with the reader that was trained without its fold."""

    def __init__(self, readers: Sequence[LearnedReader]) -> None:
        """Combine the readers of all folds, in order."""
        self.readers = [Screened(reader) for reader in readers]
        self.name = f"{readers[0].name}, out of fold"
        self._known: dict[str, Reading] = {}  # readings are reused for every strictness

    def read(self, queries: Sequence[str]) -> list[Reading]:
        """Read queries."""
        for fold, reader in enumerate(self.readers):
            mine = [query for query in queries if query not in self._known and fold_of(query) == fold]
            self._known |= dict(zip(mine, reader.read(mine), strict=True))
        return [self._known[query] for query in queries]

    def calibrated(self, calibrations: Sequence[Calibration]) -> "FoldReader":
        """Return a copy with the given calibration for each fold's reader."""
        pairs = zip(self.readers, calibrations, strict=True)
        return FoldReader([each.reader.calibrated(*fitted) for each, fitted in pairs])  # type: ignore[attr-defined]


def measure_recipe(recipe: ReaderRecipe, data: DataFolder, out: Path, plot: Path | None = None) -> dict[str, Any]:
    """Train and evaluate the readers of all folds, for each seed and their mean; write a reader to ``out/reader``.

    That reader is the mean of all networks, which together have seen all data.

    Args:
        recipe: How to train.
        data: The folder with the sources and the labelled queries.
        out: Output folder for checkpoints, readers and ``calibration.json``; finished networks are not trained again.
        plot: Output folder for the curve and the reliability diagram.
    """
    for fold in range(FOLDS):
        train_reader(recipe, data, out / f"fold-{fold}", hold_out=fold)
    figures, curves = {}, {}
    for name, seeds in {**{f"seed {seed}": [seed] for seed in recipe.seeds}, MEAN: recipe.seeds}.items():
        reader = _fold_reader(recipe, out, seeds)
        said = said_of(reader, data)
        # A fold's calibration is fitted on the other folds.
        reader = reader.calibrated([_fit(said, said.folds != fold) for fold in range(FOLDS)])
        figures[name], curves[name] = measure(reader, data), said_of(reader, data)
        if name == MEAN:
            fitted = _fit(said, said.folds >= 0)
    networks = [out / f"fold-{fold}" / f"seed-{seed}" / WEIGHTS_FILE for fold in range(FOLDS) for seed in recipe.seeds]
    ship_reader(mean_network(recipe, networks), recipe, fitted, data, out / "reader")
    (out / "calibration.json").write_text(json.dumps(fitted._asdict(), indent=2) + "\n", encoding="utf-8")
    if plot is not None:
        from boolattn_lab.reader.picture import draw_curve, draw_reliability

        draw_curve(curves, plot / "reader-curve.png")
        draw_reliability(curves[MEAN], plot / "reader-reliability.png")
    return {"recipe": recipe.name, "version": recipe.version, "calibration": fitted._asdict(), "readers": figures}


def _fold_reader(recipe: ReaderRecipe, out: Path, seeds: Sequence[int]) -> FoldReader:
    readers = []
    for fold in range(FOLDS):
        folder = out / f"fold-{fold}" / ("reader-" + "-".join(map(str, seeds)))
        if not (folder / CARD_FILE).is_file():
            network = mean_network(recipe, [out / f"fold-{fold}" / f"seed-{seed}" / WEIGHTS_FILE for seed in seeds])
            export_reader(network, tokenizer_of(recipe), ReaderCard(recipe.name, recipe.version), folder)
        readers.append(LearnedReader.load(folder))
    return FoldReader(readers)


def _fit(said: Said, rows: NDArray[np.bool_]) -> Calibration:
    reported = rows & (said.confidences > 0)
    return calibrate(said.confidences[reported], said.right[reported], said.weights[reported])


def measure(reader: FoldReader, data: DataFolder) -> dict[str, dict[str, Any]]:
    """Return the figures of the held-out labelled sets, at every strictness."""
    return {
        f"{task.name}, {strictness}": evaluate_reader(task, reader, strictness=strictness, progress=False).as_json()
        for task in (real_queries(data), all_wordings(data), kinds(data))
        for strictness in get_args(Strictness)
    }


def all_wordings(data: DataFolder) -> ExclusionTask:
    """Return all realistic queries; no reader saw queries of its own fold, or similar ones, in training."""
    rows: list[QueryLabels] = []
    for name in ("wordings.jsonl", "wordings-dev.jsonl"):
        rows += read_query_labels(LABELS / name, data.skip)
    return ExclusionTask("wordings", rows, LABELLED)
