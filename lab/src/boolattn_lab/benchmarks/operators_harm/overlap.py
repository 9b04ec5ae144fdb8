"""What a whole search changes in the first hits of each query, in comparison with a plain search."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from boolattn.backbones.document_encoder import similarity_of
from boolattn.retrieval.index.description import content_of
from boolattn.retrieval.index.memory import MemoryIndex
from boolattn.retrieval.index.protocol import Index, IndexDescription, Rows
from boolattn.retrieval.search.searcher import Searcher, SearchSettings
from boolattn_lab.benchmarks.beside_bare import HITS
from boolattn_lab.benchmarks.systems import DenseRetriever
from boolattn_lab.formats.hashed_labels import digest
from boolattn_lab.formats.records import Document

DOCUMENT_TOKENS = 128
PLAIN = {"vectors": SearchSettings(plan=False), "hybrid": SearchSettings(plan=False, text=True)}
WHOLE = {"vectors": SearchSettings(), "hybrid": SearchSettings(text=True)}


class Hits(NamedTuple):
    """The IDs of the first hits of one query, best first: of a plain and of a whole search."""

    query: str
    plain: Sequence[str]
    whole: Sequence[str]


class Overlap(NamedTuple):
    """How far whole searches agree with plain ones.

    Attributes:
        queries: Number of queries.
        overlap: Mean share of the first hits of the plain search that the whole search also has, in any order.
        changed: Share of queries with other hits, or with the same ones in another order.
        other_hits: Share of queries with at least one other hit.
        other_first: Share of queries with another first hit.
    """

    queries: int
    overlap: float
    changed: float
    other_hits: float
    other_first: float

    @classmethod
    def of(cls, found: Sequence[Hits]) -> "Overlap":
        """Compare hits; ``ValueError`` if there are no queries."""
        if not found:
            raise ValueError("there are no queries to compare: do the files contain any with the words?")
        return cls(
            len(found),
            fmean(_overlap(each) for each in found),
            fmean(each.plain != each.whole for each in found),
            fmean(set(each.plain) != set(each.whole) for each in found),
            fmean(each.plain[:1] != each.whole[:1] for each in found),
        )


def index_introductions(dense: DenseRetriever, documents: Iterable[Document], index: Index | None = None) -> Index:
    """Return an index of documents, by default one in memory; what an index already has is not written again."""
    by_id = {each.doc_id: each for each in documents}
    filled: Index = index or MemoryIndex()
    texts = ((doc_id, content_of(each.title, each.text)) for doc_id, each in by_id.items())
    for ids, vectors in dense.blocks(texts, DOCUMENT_TOKENS):
        similarity = similarity_of(dense.model, dense.name)
        filled.create(IndexDescription(dense.fingerprint, dense.name, vectors.shape[1], similarity, documents="pages"))
        titles, contents = zip(*((by_id[doc_id].title, by_id[doc_id].text) for doc_id in ids), strict=True)
        shard = digest("\0".join([*titles, *contents]))
        if filled.shards().get(shard) != len(ids):
            filled.upsert(Rows(ids, titles, contents, np.asarray(vectors, np.float32), [{}] * len(ids), shard))
    filled.settle()
    return filled


def search_both(plain: Searcher, whole: Searcher, queries: Iterable[str]) -> Iterator[Hits]:
    """Search for each query, plainly and wholly."""
    for query in queries:
        first, second = ([hit.doc_id for hit in each.rank(query, HITS)] for each in (plain, whole))
        yield Hits(query, first, second)


def overlaps(
    dense: DenseRetriever, index: Index, queries: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, list[Hits]]]:
    """Return way of searching -> source -> the hits of each query, over pages."""
    found: dict[str, dict[str, list[Hits]]] = {}
    for way, settings in WHOLE.items():
        plain = Searcher(dense.queries, index, settings=PLAIN[way], documents="pages")
        whole = Searcher(dense.queries, index, settings=settings, documents="pages")
        found[way] = {source: list(search_both(plain, whole, some)) for source, some in queries.items()}
    return found


def _overlap(found: Hits) -> float:
    return len(set(found.plain) & set(found.whole)) / len(found.plain) if found.plain else 1.0
