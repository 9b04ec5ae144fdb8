"""What searching through an index costs beside its bare client, and what it misses under filters."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolattn.bench.overhead import medians_of
from boolattn.bench.pipeline import blocks_with_texts, encode_ratio
from boolattn.encoders.document_encoder import similarity_of
from boolattn.encoders.dual_encoder import DualEncoder
from boolattn.evaluation.systems import DenseRetriever
from boolattn.retrieval.index.lance import lance_index as lance
from boolattn.retrieval.index.milvus import milvus_index as milvus
from boolattn.retrieval.index.milvus.schema import METRICS
from boolattn.retrieval.index.open_index import open_index, parse_address
from boolattn.retrieval.index.protocol import Filter, Index, IndexDescription, Rows, WrongIndexError
from boolattn.retrieval.search.searcher import Searcher, SearchSettings

PART = "hundredth"  # a field of every document: its number, modulo 100
FILTERS = {"0.1": Filter(PART, "<", 10), "0.01": Filter(PART, "=", 0)}
ENCODED, FILTERED_QUERIES, K = 2048, 100, 100
HITS = 10  # of a search that is timed, as a page shows them
OpenDocuments = Callable[[], Iterable[tuple[str, str]]]
STAGES = {
    "dense": SearchSettings(text=False, verify=False),
    "+ text": SearchSettings(verify=False),
    "+ verification": SearchSettings(),
}


def bare_search(uri: str, similarity: str) -> Callable[[Any, int], Any]:
    """Return a function that asks an index's own client for the k nearest to a vector."""
    backend, where, name = parse_address(uri)
    if backend == "memory":
        raise ValueError(f"{uri} has no client of its own to compare with: measure lance:// or milvus://")
    return _bare_milvus(where, name, similarity) if backend == "milvus" else _bare_lance(where, name, similarity)


def _bare_lance(folder: str, name: str, similarity: str) -> Callable[[Any, int], Any]:
    import lancedb

    table: Any = lancedb.connect(folder).open_table(name)

    def ask(vector: Any, k: int) -> Any:
        query = table.search(vector, vector_column_name="vector", query_type="vector").distance_type(similarity)
        query = query.nprobes(lance.PARTITIONS).ef(max(lance.CANDIDATES * k, lance.FEWEST_CANDIDATES))
        return query.refine_factor(lance.COMPARED).select(["id", "_distance"]).limit(k).to_arrow()

    return ask


def _bare_milvus(address: str, name: str, similarity: Any) -> Callable[[Any, int], Any]:
    from pymilvus import MilvusClient

    client: Any = MilvusClient(address)

    def ask(vector: Any, k: int) -> Any:
        candidates = max(milvus.CANDIDATES * k, milvus.FEWEST_CANDIDATES)
        parameters = {"metric_type": METRICS[similarity], "params": {"ef": candidates}}
        return client.search(
            name, [vector], "", k, anns_field="vector", search_params=parameters, output_fields=[], **milvus.OWN
        )

    return ask


@dataclass(frozen=True)
class SearchCost:
    """What was found.

    Attributes:
        documents: In the index.
        encode_ratio: Rate of ``boolattn encode`` over that of a bare ``SentenceTransformer.encode`` loop.
        search_ratio: Rate of a ``Searcher``'s dense leg over that of the model's vector and the bare client, with the
            same parameters.
        filtered_recall: Share of documents that fulfil a filter -> recall@100 against the exact answer.
        stages_ms: Median milliseconds of a search through these stages.
    """

    documents: int
    encode_ratio: float
    search_ratio: float
    filtered_recall: dict[str, float]
    stages_ms: dict[str, float]


def measure_search(
    model: DualEncoder, name: str, uri: str, documents: OpenDocuments, queries: Sequence[str], seconds: float
) -> SearchCost:
    """Fill a new index, measure, and drop it.

    Args:
        model: A Boolean model.
        name: What it is called.
        uri: The address of an index that is not there yet.
        documents: Opens the corpus: identifier and text of each document.
        queries: To be searched for, some with operators.
        seconds: How long to measure the searches.
    """
    index = open_index(uri)
    require_new(index, uri)
    some = [text for _, text in islice(documents(), ENCODED)]
    vectors = _fill(index, DenseRetriever(name, model), documents())
    index.close()
    index = open_index(uri)  # as one who searches, and writes nothing
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
    """Refuse an index that is there already: it is not ours to drop."""
    try:
        index.describe()
    except WrongIndexError:
        return
    raise ValueError(f"{uri} is there already, and what is measured here is dropped at the end: give another name")


def _fill(index: Index, dense: DenseRetriever, documents: Iterable[tuple[str, str]]) -> NDArray[np.float32]:
    """Put documents in and return their vectors (N, D), in the order of their numbers."""
    kept: list[NDArray[np.float32]] = []
    for ids, texts, vectors in blocks_with_texts(dense, documents, 128):
        if dense.normalise:  # they were kept in half precision
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


def _medians(model: DualEncoder, index: Index, uri: str, queries: Sequence[str], seconds: float) -> dict[str, float]:
    """Return the median seconds of a search, all kinds asked in turn for one query after another."""
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
    """Return a call for the next query, each time."""
    coming = cycle(queries)
    return lambda: call(next(coming))


def _recall(index: Index, vectors: NDArray[np.float32], where: Filter) -> float:
    """Look for documents near to documents, among those that pass a filter."""
    numbers = np.arange(len(vectors)) % 100
    fulfil = np.flatnonzero(numbers < 10 if where.comparison == "<" else numbers == where.value)
    found = []
    for vector in vectors[:: max(1, len(vectors) // FILTERED_QUERIES)]:
        near = vectors[fulfil] @ vector
        least = np.partition(near, -K)[-K] if len(near) > K else near.min()
        hits = index.search(vector, K, [where])
        found.append(sum(hit.score >= least - 1e-4 for hit in hits) / min(K, len(fulfil)))
    return float(np.mean(found))
