"""Recall against violations as the strength of exclusion varies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ir_measures import R
from sentence_transformers import SentenceTransformer

from boolattn.retrieval.index.protocol import Index
from boolattn.retrieval.search.hits import verified_hits
from boolattn.retrieval.search.searcher import Searcher, SearchSettings
from boolattn_lab.benchmarks.figures import COLOURS, GRID, INK
from boolattn_lab.benchmarks.measures import Ranking, per_query, violation
from boolattn_lab.benchmarks.significance import means
from boolattn_lab.benchmarks.tasks import RetrievalTask
from boolattn_lab.costs.pipeline import DEPTH, MEASURES, index_documents

STRENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)
SHOWN = (*MEASURES, violation @ 20)


@dataclass(frozen=True)
class CurvePoint:
    """Results at one strength.

    Attributes:
        strength: As in ``SearchSettings``.
        measures: Benchmark -> measure -> value.
    """

    strength: float
    measures: dict[str, dict[str, float]]


def strength_curve(
    tasks: Sequence[RetrievalTask], model: SentenceTransformer, name: str, open_index: Callable[[str], Index]
) -> list[CurvePoint]:
    """Run every query once, and score its candidates at every strength.

    Args:
        tasks: Queries with an exclusion whose excluded documents are known.
        model: The model that reads and encodes queries.
        name: The model's name.
        open_index: Returns an index for a benchmark's name.
    """
    measured: dict[float, dict[str, dict[str, float]]] = {strength: {} for strength in STRENGTHS}
    for task in tasks:
        index = open_index(task.name)
        index_documents(index, model, name, task)
        searcher = Searcher(model, index, settings=SearchSettings(text=True), documents=task.documents_are)
        runs: dict[float, dict[str, Ranking]] = {strength: {} for strength in STRENGTHS}
        for key, query in task.queries.items():
            reading = searcher.read(query)
            if not searcher.plan(reading).negatives:  # nothing to exclude: a plain search at every strength
                plain = searcher.rank(reading, DEPTH)
                for run in runs.values():
                    run[key] = Ranking([hit.doc_id for hit in plain], [hit.score for hit in plain])
                continue
            pool = searcher.gather(reading, DEPTH)
            for strength, run in runs.items():
                hits = verified_hits(pool, strength, DEPTH)
                run[key] = Ranking([hit.doc_id for hit in hits], [hit.score for hit in hits])
        index.close()
        for strength, run in runs.items():
            measured[strength][task.name] = means(per_query(SHOWN, run, task.answers, task.negated))
    return [CurvePoint(strength, measures) for strength, measures in measured.items()]


def plot_curve(points: Sequence[CurvePoint], path: Path) -> None:
    """Plot recall against violations, one panel per benchmark, each point labelled with its strength, as a PNG."""
    from matplotlib.figure import Figure

    names = list(points[0].measures)
    figure = Figure(figsize=(3.4 * len(names), 3.2), dpi=200, layout="constrained")
    for name, axes in zip(names, figure.subplots(1, len(names), squeeze=False)[0], strict=True):
        across, up = ([point.measures[name][str(each)] for point in points] for each in (violation @ 20, R @ 20))
        axes.plot(across, up, "o-", color=COLOURS[0], markersize=4)
        for point, x, y in zip(points, across, up, strict=True):
            axes.annotate(f"{point.strength:g}", (x, y), (3, 4), textcoords="offset points", fontsize=7, color=INK)
        axes.set_title(name, loc="left", fontsize=10, color=INK)
        axes.set_xlabel("violation@20 (lower is better)", fontsize=8)
        axes.tick_params(labelsize=7, labelcolor=INK)
        axes.locator_params(axis="x", nbins=5)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color=GRID)
    figure.supylabel("R@20", fontsize=8)
    figure.savefig(path)
