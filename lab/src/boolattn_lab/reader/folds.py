"""Cross-validate a reader recipe: five readers, each trained without one fold, read the queries they never saw."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec

from boolattn.reading.learned import CARD_FILE, Calibrations, LearnedReader, ReaderCard
from boolattn.reading.reading import Documents, Reading, Strictness
from boolattn.reading.screen import Screened
from boolattn_lab.benchmarks.reading_outcome import evaluate_reader
from boolattn_lab.benchmarks.sets.exclusions import LABELLED, kinds, real_queries, requests, search_boxes, shop
from boolattn_lab.benchmarks.tasks import ExclusionTask
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.hashed_labels import LABELS
from boolattn_lab.formats.query_labels import QueryLabels, read_query_labels
from boolattn_lab.reader.export import export_reader
from boolattn_lab.reader.held_out import Said, calibrate, said_of
from boolattn_lab.reader.recipe import ReaderRecipe
from boolattn_lab.reader.rows import FOLDS, fold_of
from boolattn_lab.reader.run import (
    WEIGHTS_FILE,
    mean_network,
    ship_reader,
    tokenizer_of,
    train_reader,
    uncalibrated,
)

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

    def calibrated(self, calibrations: Sequence[Calibrations]) -> "FoldReader":
        """Return a copy with the given calibrations for each fold's reader."""
        pairs = zip(self.readers, calibrations, strict=True)
        return FoldReader([each.reader.calibrated(fitted) for each, fitted in pairs])  # type: ignore[attr-defined]


def measure_recipe(recipe: ReaderRecipe, data: DataFolder, out: Path, plot: Path | None = None) -> dict[str, Any]:
    """Train and evaluate the readers of all folds, for each seed and their mean; write a reader to ``out/reader``.

    That reader is the mean of all networks, which together have seen all data.

    Args:
        recipe: How to train.
        data: The folder with the sources and the labelled queries.
        out: Output folder for checkpoints, readers and ``calibrations.json``; finished networks are not trained again.
        plot: Output folder for the curve and the reliability diagram.
    """
    for fold in range(FOLDS):
        train_reader(recipe, data, out / f"fold-{fold}", hold_out=fold)
    figures = {}
    for name, seeds in {**{f"seed {seed}": [seed] for seed in recipe.seeds}, MEAN: recipe.seeds}.items():
        reader = _fold_reader(recipe, out, seeds)
        said = {documents: said_of(reader, data, documents) for documents in get_args(Documents)}
        # A fold's calibrations are fitted on the other folds.
        reader = reader.calibrated([_fit(recipe, said, fold) for fold in range(FOLDS)])
        figures[name] = measure(reader, data)
    fitted = _fit(recipe, said)
    networks = [out / f"fold-{fold}" / f"seed-{seed}" / WEIGHTS_FILE for fold in range(FOLDS) for seed in recipe.seeds]
    ship_reader(mean_network(recipe, networks), recipe, fitted, data, out / "reader")
    (out / "calibrations.json").write_bytes(msgspec.json.encode(fitted) + b"\n")
    if plot is not None:
        from boolattn_lab.reader.picture import draw_curves, draw_reliability

        curves = {documents: said_of(reader, data, documents) for documents in said}
        draw_curves(curves, fitted, plot / "reader-curve.png")
        draw_reliability(curves, plot / "reader-reliability.png")
    return {"recipe": recipe.name, "version": recipe.version, "readers": figures}


def _fold_reader(recipe: ReaderRecipe, out: Path, seeds: Sequence[int]) -> FoldReader:
    readers = []
    for fold in range(FOLDS):
        folder = out / f"fold-{fold}" / ("reader-" + "-".join(map(str, seeds)))
        if not (folder / CARD_FILE).is_file():
            network = mean_network(recipe, [out / f"fold-{fold}" / f"seed-{seed}" / WEIGHTS_FILE for seed in seeds])
            export_reader(
                network, tokenizer_of(recipe), ReaderCard(recipe.name, recipe.version, uncalibrated(recipe)), folder
            )
        readers.append(LearnedReader.load(folder))
    return FoldReader(readers)


def _fit(recipe: ReaderRecipe, said: Mapping[Documents, Said], without: int | None = None) -> Calibrations:
    """Fit the calibrations to all queries, or to those outside one fold."""
    found = {}
    for documents, each in said.items():
        rows = (each.confidences > 0) & (each.folds != (-1 if without is None else without))
        thresholds = recipe.thresholds[documents]
        found[documents] = calibrate(each.confidences[rows], each.right[rows], each.weights[rows], thresholds)
    return found


def measure(reader: FoldReader, data: DataFolder) -> dict[str, dict[str, Any]]:
    """Return the figures of the held-out labelled sets, at every strictness."""
    tasks = [real_queries(data), all_wordings(data), kinds(data), shop(data)]
    tasks += [of(data, documents) for of in (search_boxes, requests) for documents in get_args(Documents)]
    return {
        f"{task.name}, {strictness}": evaluate_reader(task, reader, task.documents, strictness, False).as_json()
        for task in tasks
        for strictness in get_args(Strictness)
    }


def all_wordings(data: DataFolder) -> ExclusionTask:
    """Return all realistic queries; no reader saw queries of its own fold, or similar ones, in training."""
    rows: list[QueryLabels] = []
    for name in ("wordings.jsonl", "wordings-dev.jsonl"):
        rows += read_query_labels(LABELS / name, data.skip)
    return ExclusionTask("wordings", rows, LABELLED)
