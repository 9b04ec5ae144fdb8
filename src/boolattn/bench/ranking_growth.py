"""How the time and memory of ranking grow with the number of documents."""

import resource
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from boolattn.data.folder import DataFolder
from boolattn.encoders.vectors.document_cache import BLOCK
from boolattn.evaluation.benchmarks import load_benchmark
from boolattn.evaluation.evaluate import DEPTH
from boolattn.evaluation.systems import Retriever, load_system
from boolattn.evaluation.tasks import RetrievalTask

# Whole blocks, so that every step finds its vectors in the cache; the last is the whole corpus.
SIZES = (*(BLOCK * blocks for blocks in (3, 6, 12, 24, 48)), None)


@dataclass(frozen=True, slots=True)
class Step:
    """What ranking so many documents took, in a process of its own.

    Attributes:
        documents: How many there were.
        seconds: To encode all queries, read the documents and rank them, whose vectors are on disk already.
        peak_mb: The most memory the process had, model and interpreter included.
    """

    documents: int
    seconds: float
    peak_mb: float


def measure_growth(data: Path, model: str, benchmark: str = "quest-partial") -> Iterator[Step]:
    """Rank more and more of a benchmark's corpus, each time in a new process; first all of it, to have the vectors."""
    for number, size in enumerate((None, *SIZES)):
        with get_context("spawn").Pool(1) as pool:
            step = pool.apply(_rank_first, (data, model, benchmark, size))
        if number > 0:
            yield step


def _rank_first(data: Path, model: str, benchmark: str, size: int | None) -> Step:
    task, system = load_benchmark(benchmark, DataFolder(data)), load_system(model, progress=False)
    if not isinstance(task, RetrievalTask) or not isinstance(system, Retriever):
        raise TypeError(f"{model!r} cannot rank the documents of {benchmark}")
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
    """Draw time and memory against the number of documents."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install boolattn[plots]") from error
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
