"""The cost of searching an index, compared with its bare client, and recall under filters."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice

import numpy as np
from numpy.typing import NDArray

from boolattn.backbones.document_encoder import similarity_of
from boolattn.backbones.retrieval_model import RetrievalModel
from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import Filter, Index, IndexDescription, Rows, WrongIndexError
from boolattn.retrieval.search.searcher import Searcher, SearchSettings
from boolattn_lab.benchmarks.systems import DenseRetriever
from boolattn_lab.costs.bare_client import bare_search
from boolattn_lab.costs.overhead import medians_of
from boolattn_lab.costs.pipeline import blocks_with_texts, encode_ratio

PART = "hundredth"  # metadata field: document number modulo 100
FILTERS = {"0.1": Filter(PART, "<", 10), "0.01": Filter(PART, "=", 0)}
ENCODED, FILTERED_QUERIES, K = 2048, 100, 100
HITS = 10  # per timed search: one page of results
OpenDocuments = Callable[[], Iterable[tuple[str, str]]]
STAGES = {
    "dense": SearchSettings(verify=False),
    "+ text": SearchSettings(text=True, verify=False),
    "+ verification": SearchSettings(text=True),
}


@dataclass(frozen=True)
class SearchCost:
    """The results.

    Attributes:
        documents: Number of documents in the index.
        encode_ratio: Throughput of ``boolattn encode`` divided by that of a bare ``SentenceTransformer.encode`` loop.
        search_ratio: Throughput of a ``Searcher``'s dense search divided by that of the model and the bare client, with
            the same parameters.
        filtered_recall: Share of documents that match a filter -> recall@100 against exact search.
        stages_ms: Median milliseconds of a search with these stages.
    """

    documents: int
    encode_ratio: float
    search_ratio: float
    filtered_recall: dict[str, float]
    stages_ms: dict[str, float]


def measure_search(
    model: RetrievalModel, name: str, uri: str, documents: OpenDocuments, queries: Sequence[str], seconds: float
) -> SearchCost:
    """Fill a new index, measure, and drop it.

    Args:
        model: Encodes documents and queries.
        name: The model's name.
        uri: Address of an index that does not exist yet.
        documents: Opens the corpus: ID and text of each document.
        queries: Queries to search for, some with operators.
        seconds: How long to time searches.
    """
    index = open_index(uri)
    require_new(index, uri)
    some = [text for _, text in islice(documents(), ENCODED)]
    vectors = _fill(index, DenseRetriever(name, model), documents())
    index.close()
    index = open_index(uri)  # read-only
    try:
        medians = _medians(model, index, uri, queries, seconds)
        return SearchCost(
            documents=len(vectors),
            encode_ratio=encode_ratio(model.document_encoder(), some),
            search_ratio=medians["bare client"] / medians["dense leg"],
            filtered_recall={share: _recall(index, vectors, where) for share, where in FILTERS.items()},
            stages_ms={stage: 1000 * medians[stage] for stage in STAGES},
        )
    finally:
        index.drop()
        index.close()


def require_new(index: Index, uri: str) -> None:
    """Refuse an existing index, because the benchmark drops its index at the end."""
    try:
        index.describe()
    except WrongIndexError:
        return
    raise ValueError(f"{uri} exists already, and this benchmark drops its index at the end: use another name")


def _fill(index: Index, dense: DenseRetriever, documents: Iterable[tuple[str, str]]) -> NDArray[np.float32]:
    """Write documents and return their vectors (N, D), in document order."""
    kept: list[NDArray[np.float32]] = []
    for ids, texts, vectors in blocks_with_texts(dense, documents, 128):
        if dense.normalise:  # they were stored in half precision
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        if not kept:
            similarity = similarity_of(dense.model, dense.name)
            index.create(
                IndexDescription(dense.fingerprint, dense.name, vectors.shape[1], similarity, {PART: "integer"})
            )
        first = sum(map(len, kept))
        fields = [{PART: number % 100} for number in range(first, first + len(ids))]
        index.upsert(Rows(ids, [""] * len(ids), texts, vectors, fields))
        kept.append(vectors)
    index.settle()
    return np.concatenate(kept)


def _medians(model: RetrievalModel, index: Index, uri: str, queries: Sequence[str], seconds: float) -> dict[str, float]:
    """Return the median seconds of each kind of search; all kinds alternate on the same queries."""
    ask = bare_search(uri, index.describe().similarity)
    searchers = {stage: Searcher(model, index, settings=settings) for stage, settings in STAGES.items()}

    def bare(query: str) -> object:
        return ask(model.encode_query([query], normalize_embeddings=True, show_progress_bar=False)[0], HITS)

    calls: dict[str, Callable[[str], object]] = {
        "bare client": bare,
        "dense leg": lambda query: searchers["dense"].rank(query, HITS),
    }
    calls |= {stage: partial(searcher.search, k=HITS) for stage, searcher in searchers.items()}
    return medians_of({kind: _asking(call, queries) for kind, call in calls.items()}, seconds)


def _asking(call: Callable[[str], object], queries: Sequence[str]) -> Callable[[], object]:
    """Return a function that runs the next query on each call."""
    coming = cycle(queries)
    return lambda: call(next(coming))


def _recall(index: Index, vectors: NDArray[np.float32], where: Filter) -> float:
    """Return the recall of a filtered search for the neighbours of documents."""
    numbers = np.arange(len(vectors)) % 100
    fulfil = np.flatnonzero(numbers < 10 if where.comparison == "<" else numbers == where.value)
    found = []
    for vector in vectors[:: max(1, len(vectors) // FILTERED_QUERIES)]:
        near = vectors[fulfil] @ vector
        least = np.partition(near, -K)[-K] if len(near) > K else near.min()
        hits = index.search(vector, K, [where])
        found.append(sum(hit.score >= least - 1e-4 for hit in hits) / min(K, len(fulfil)))
    return float(np.mean(found))
