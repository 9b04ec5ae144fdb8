"""How cost grows with the number of documents: exact ranking, and an index."""

import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from boolattn.bench.pipeline import blocks_with_texts
from boolattn.bench.search_cost import HITS, require_new
from boolattn.data.folder import DataFolder
from boolattn.encoders.document_encoder import similarity_of
from boolattn.encoders.vectors.document_cache import BLOCK
from boolattn.evaluation.benchmarks import load_benchmark
from boolattn.evaluation.evaluate import DEPTH
from boolattn.evaluation.figures import COLOURS, GRID, INK
from boolattn.evaluation.systems import DenseRetriever, Retriever, load_system
from boolattn.evaluation.tasks import RetrievalTask
from boolattn.retrieval.index.open_index import open_index, parse_address
from boolattn.retrieval.index.protocol import IndexDescription, Rows

# Whole blocks, so that every step finds its vectors in the cache; the last is the whole corpus.
RANKING_SIZES = (*(BLOCK * blocks for blocks in (3, 6, 12, 24, 48)), None)

BENCHMARK = "quest-partial"  # whose documents are indexed, and whose queries asked
INDEX_SIZES = (10_000, 100_000, None)  # None: all there are
MB = 1024**2


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


def measure_growth(data: Path, model: str) -> Iterator[Step]:
    """Rank more and more of a benchmark's corpus, each time in a new process; first all of it, to have the vectors."""
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


@dataclass(frozen=True)
class Server:
    """Where an index that is a process of its own does its work.

    Attributes:
        process: Its number.
        folder: Where it keeps its data.
    """

    process: int
    folder: Path


@dataclass(frozen=True)
class IndexStep:
    """What an index of so many documents took, made from nothing.

    Attributes:
        backend: ``lance`` or ``milvus``.
        documents: How many.
        index_seconds: To write them, vectors being there already, and to build what makes searches fast.
        search_ms: Median of a search for 10 hits by a vector.
        disk_mb: What it added to the folder.
        memory_mb: The most that this process had, model and interpreter included, and the server with it.
    """

    backend: str
    documents: int
    index_seconds: float
    search_ms: float
    disk_mb: float
    memory_mb: float


def measure_index_growth(data: Path, model: str, uris: Sequence[str], server: Server | None) -> Iterator[IndexStep]:
    """Index more and more of the benchmark's corpus, in a new process each time; every index is dropped again.

    Args:
        data: The folder with the benchmark's data.
        model: Whose vectors; those that are kept from earlier runs are not encoded again.
        uris: Addresses of indices that are not there yet.
        server: The one behind the addresses that name one.
    """
    for uri in uris:
        _folder(uri, server)  # all of them first: a server that is not named shows before the long work
    for uri in uris:
        for size in INDEX_SIZES:
            with get_context("spawn").Pool(1) as pool:
                yield pool.apply(_step, (data, model, uri, server, size))


def _step(data: Path, model: str, uri: str, server: Server | None, size: int | None) -> IndexStep:
    task, dense = load_benchmark(BENCHMARK, DataFolder(data)), load_system(model, progress=False)
    if not isinstance(task, RetrievalTask) or not isinstance(dense, DenseRetriever):
        raise TypeError(f"{model!r} has no vectors of the documents of {BENCHMARK}")
    address, folder = parse_address(uri), _folder(uri, server)
    index, queries = open_index(uri), dense.query_vectors(list(task.queries.values()))
    require_new(index, uri)
    before = _size(folder)
    index.create(IndexDescription(dense.fingerprint, model, queries.shape[1], similarity_of(dense.model, model)))
    try:
        seconds = sum(_seconds(index.upsert, rows) for rows in _first(dense, task, size)) + _seconds(index.settle)
        index.search(queries[0], HITS)  # what is loaded at the first is not the price of one
        search = statistics.median(_seconds(index.search, vector, HITS) for vector in queries)
        memory = _peak("self") + (_peak(server.process) if server and address.backend == "milvus" else 0)
        return IndexStep(
            address.backend, index.count(), seconds, 1000 * search, (_size(folder) - before) / MB, memory / MB
        )
    finally:
        index.drop()
        index.close()


def _first(dense: DenseRetriever, task: RetrievalTask, size: int | None) -> Iterator[Rows]:
    """Yield the first documents; whole blocks are read, so that their vectors are found among those that are kept."""
    left = size
    for ids, texts, vectors in blocks_with_texts(dense, task.documents(), task.document_tokens):
        taken = len(ids) if left is None else min(left, len(ids))
        yield Rows(ids[:taken], [""] * taken, texts[:taken], vectors[:taken], [{}] * taken)
        if left is not None and (left := left - taken) == 0:
            return


def _seconds(call: Callable[..., object], *given: object) -> float:
    start = time.perf_counter()
    call(*given)
    return time.perf_counter() - start


def _folder(uri: str, server: Server | None) -> Path:
    """Return where an index keeps its files."""
    address = parse_address(uri)
    if address.backend == "lance":
        return Path(address.where)
    if address.backend == "memory":
        raise ValueError(f"{uri} has no files to measure: give lance:// or milvus://")
    if server is None:
        raise ValueError(f"{uri} is a server: say which process it is, and where its data lies")
    return server.folder


def _size(folder: Path) -> int:
    """Return the bytes of all files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _peak(process: int | str) -> int:
    """Return the most memory that a process has had, in bytes."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return 1024 * int(line.split()[1])


def plot_index_growth(steps: Sequence[IndexStep], path: Path) -> None:
    """Draw each of the figures against the number of documents, a line for each backend, as a PNG."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install boolattn[plots]") from error
    figure = Figure(figsize=(11, 2.8), dpi=200, layout="constrained")
    shown = {
        "index_seconds": "seconds to index",
        "search_ms": "ms for a search",
        "disk_mb": "disk, MB",
        "memory_mb": "peak memory, MB",
    }
    for axes, (name, title) in zip(figure.subplots(1, len(shown)), shown.items(), strict=True):
        for colour, backend in zip(COLOURS, dict.fromkeys(step.backend for step in steps), strict=False):
            of = [step for step in steps if step.backend == backend]
            across, up = [step.documents / 1000 for step in of], [getattr(step, name) for step in of]
            axes.plot(across, up, "o-", color=colour, label=backend, markersize=4)
        axes.set_title(title, loc="left", fontsize=10, color=INK)
        axes.set_xlabel("thousand documents", fontsize=8)
        axes.set_ylim(bottom=0)
        axes.tick_params(labelsize=7, labelcolor=INK)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color=GRID)
    figure.axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(path)
