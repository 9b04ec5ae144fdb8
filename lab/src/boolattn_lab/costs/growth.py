"""How the cost of exact ranking grows with the number of documents."""

import resource
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from boolattn_lab.benchmarks.document_cache import BLOCK
from boolattn_lab.benchmarks.sets import load_benchmark
from boolattn_lab.benchmarks.systems import Retriever, load_system
from boolattn_lab.benchmarks.tasks import DEPTH, RetrievalTask
from boolattn_lab.formats.folder import DataFolder

# Multiples of a block, so that every step finds its vectors in the cache; None is the whole corpus.
RANKING_SIZES = (*(BLOCK * blocks for blocks in (3, 6, 12, 24, 48)), None)

BENCHMARK = "quest-partial"


@dataclass(frozen=True, slots=True)
class Step:
    """Cost of ranking a number of documents, in a separate process.

    Attributes:
        documents: Number of documents.
        seconds: Time to encode all queries, read the document vectors from disk and rank them.
        peak_mb: Peak memory of the process, including model and interpreter.
    """

    documents: int
    seconds: float
    peak_mb: float


def measure_growth(data: Path, model: str) -> Iterator[Step]:
    """Rank growing parts of a benchmark's corpus, each in a new process; the whole corpus first, to cache vectors."""
    for number, size in enumerate((None, *RANKING_SIZES)):
        with get_context("spawn").Pool(1) as pool:
            step = pool.apply(_rank_first, (data, model, size))
        if number > 0:
            yield step


def _rank_first(data: Path, model: str, size: int | None) -> Step:
    task, system = load_benchmark(BENCHMARK, DataFolder(data)), load_system(model, progress=False)
    if not isinstance(task, RetrievalTask) or not isinstance(system, Retriever):
        raise TypeError(f"{model!r} cannot rank the documents of {BENCHMARK}")
    count = 0

    def documents() -> Iterator[tuple[str, str]]:
        nonlocal count
        for document in islice(task.documents(), size):
            count += 1
            yield document

    start = time.perf_counter()
    system.rank(task.queries, documents(), DEPTH, task.document_tokens)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "linux" else 1024**2)
    return Step(count, seconds, peak)


def plot_growth(steps: Sequence[Step], path: Path) -> None:
    """Plot time and memory against the number of documents."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3), dpi=200, layout="constrained")
    documents = [step.documents / 1000 for step in steps]
    for axes, values, title in zip(
        figure.subplots(1, 2),
        ([step.seconds for step in steps], [step.peak_mb for step in steps]),
        ("seconds to rank all queries", "peak memory, MB"),
        strict=True,
    ):
        axes.plot(documents, values, marker="o", color="#0072B2")
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_xlabel("thousand documents")
        axes.set_ylim(0, 1.1 * max(values))
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path)
