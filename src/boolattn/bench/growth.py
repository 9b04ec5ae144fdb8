"""How the cost of exact ranking and of an index grows with the number of documents."""

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
from boolattn.bench.resources import Server, disk_mb, memory_mb
from boolattn.bench.search_cost import HITS, require_new
from boolattn.data.folder import DataFolder
from boolattn.encoders.document_encoder import similarity_of
from boolattn.encoders.vectors.document_cache import BLOCK
from boolattn.evaluation.benchmarks import load_benchmark
from boolattn.evaluation.figures import COLOURS, GRID, INK
from boolattn.evaluation.systems import DenseRetriever, Retriever, load_system
from boolattn.evaluation.tasks import DEPTH, RetrievalTask
from boolattn.retrieval.index.open_index import open_index, parse_address
from boolattn.retrieval.index.protocol import IndexDescription, Rows

# Multiples of a block, so that every step finds its vectors in the cache; None is the whole corpus.
RANKING_SIZES = (*(BLOCK * blocks for blocks in (3, 6, 12, 24, 48)), None)

BENCHMARK = "quest-partial"  # its documents are indexed, its queries searched
INDEX_SIZES = (10_000, 100_000, None)  # None: all documents


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
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install 'boolattn[plots]'") from error
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
class IndexStep:
    """Cost of building an index of a number of documents.

    Attributes:
        backend: ``lance`` or ``milvus``.
        documents: Number of documents.
        index_seconds: Time to write documents with existing vectors and to build the search structures.
        search_ms: Median time of a vector search for 10 hits.
        disk_mb: Growth of the folder on disk.
        memory_mb: Peak memory of this process, including model and interpreter, plus the server's.
    """

    backend: str
    documents: int
    index_seconds: float
    search_ms: float
    disk_mb: float
    memory_mb: float


def measure_index_growth(data: Path, model: str, uris: Sequence[str], server: Server | None) -> Iterator[IndexStep]:
    """Index growing parts of the benchmark's corpus, each in a new process; every index is dropped afterwards.

    Args:
        data: The folder with the benchmark's data.
        model: The model that encodes documents; cached vectors are reused.
        uris: Addresses of indexes that do not exist yet.
        server: The server of addresses that require one.
    """
    for uri in uris:
        _folder(uri, server)  # check all first, to report a missing server before the long work
    for uri in uris:
        for size in INDEX_SIZES:
            with get_context("spawn").Pool(1) as pool:
                yield pool.apply(_step, (data, model, uri, server, size))


def _step(data: Path, model: str, uri: str, server: Server | None, size: int | None) -> IndexStep:
    task, dense = load_benchmark(BENCHMARK, DataFolder(data)), load_system(model, progress=False)
    if not isinstance(task, RetrievalTask) or not isinstance(dense, DenseRetriever):
        raise TypeError(f"{model!r} does not encode the documents of {BENCHMARK}: use a dense model")
    address, folder = parse_address(uri), _folder(uri, server)
    index, queries = open_index(uri), dense.query_vectors(list(task.queries.values()))
    require_new(index, uri)
    before = disk_mb(folder)
    index.create(IndexDescription(dense.fingerprint, model, queries.shape[1], similarity_of(dense.model, model)))
    try:
        seconds = sum(_seconds(index.upsert, rows) for rows in _first(dense, task, size)) + _seconds(index.settle)
        index.search(queries[0], HITS)  # warm up
        search = statistics.median(_seconds(index.search, vector, HITS) for vector in queries)
        processes: list[int | str] = ["self"]
        if server and address.backend == "milvus":
            processes.append(server.process)
        memory = sum(memory_mb(each, "VmHWM") for each in processes)
        return IndexStep(address.backend, index.count(), seconds, 1000 * search, disk_mb(folder) - before, memory)
    finally:
        index.drop()
        index.close()


def _first(dense: DenseRetriever, task: RetrievalTask, size: int | None) -> Iterator[Rows]:
    """Yield the first documents in whole blocks, so that their vectors are in the cache."""
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
    """Return the folder of an index's files."""
    address = parse_address(uri)
    if address.backend == "lance":
        return Path(address.where)
    if address.backend == "memory":
        raise ValueError(f"{uri} has no files to measure: use lance:// or milvus://")
    if server is None:
        raise ValueError(f"{uri} is a server: give --server-process and --server-folder")
    return server.folder


def plot_index_growth(steps: Sequence[IndexStep], path: Path) -> None:
    """Plot each figure against the number of documents, one line per backend, as a PNG."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install 'boolattn[plots]'") from error
    figure = Figure(figsize=(11, 2.8), dpi=200, layout="constrained")
    shown = {
        "index_seconds": "seconds to index",
        "search_ms": "ms per search",
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
