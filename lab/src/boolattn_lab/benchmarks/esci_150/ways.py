"""The ways of searching that are compared, and the figures of each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from boolattn.backbones.document_encoder import similarity_of
from boolattn.reading.readers import ReaderOrName
from boolattn.reading.reading import Strictness
from boolattn.retrieval.index.memory import MemoryIndex
from boolattn.retrieval.index.protocol import Index, IndexDescription, Rows
from boolattn.retrieval.search.searcher import Searcher, SearchSettings
from boolattn_lab.benchmarks.beside_bare import HITS
from boolattn_lab.benchmarks.evaluate import Outcome, compare, evaluate
from boolattn_lab.benchmarks.measures import Ranking, Run
from boolattn_lab.benchmarks.significance import Difference
from boolattn_lab.benchmarks.systems import DenseRetriever, Documents
from boolattn_lab.benchmarks.tasks import RetrievalTask


class Way(NamedTuple):
    """One way of searching.

    Attributes:
        settings: The stages of the search.
        base: The same way without acting on exclusions.
        by_hand: Whether the caller names what queries exclude, instead of a reader.
    """

    settings: SearchSettings
    base: str = "plain"
    by_hand: bool = False


SIGNED, WHOLE, HYBRID = SearchSettings(verify=False), SearchSettings(), SearchSettings(text=True)
WAYS: Mapping[str, Way] = {
    "plain": Way(SearchSettings(plan=False)),
    "signed": Way(SIGNED),
    "search": Way(WHOLE),
    "signed, by hand": Way(SIGNED, by_hand=True),
    "search, by hand": Way(WHOLE, by_hand=True),
    "hybrid plain": Way(SearchSettings(plan=False, text=True)),
    "hybrid search": Way(HYBRID, "hybrid plain"),
    "hybrid search, by hand": Way(HYBRID, "hybrid plain", by_hand=True),
}


class Figures(NamedTuple):
    """The figures of one way of searching on some of the queries.

    Attributes:
        queries: Number of queries.
        quality: The mean of the benchmark's measure.
        from_plain: The difference from plain vectors.
        from_base: The difference from the same way without acting on exclusions.
        changed: Number of queries whose hits, or their order, differ from those of that way.
    """

    queries: int
    quality: float
    from_plain: Difference
    from_base: Difference
    changed: int


class ShopSearch:
    """Searches as ``boolattn search`` does, and returns what a user sees: one page of hits, in their order."""

    def __init__(self, name: str, searcher: Searcher, excluded: Mapping[str, Sequence[str]] | None = None) -> None:
        """Store a searcher, and for each query text what it excludes; None lets the reader find that."""
        self.name, self._searcher, self._excluded = name, searcher, excluded

    def rank(self, queries: Mapping[str, str], documents: Documents, k: int, document_tokens: int) -> Run:
        """Return one page of hits for each query."""
        return {key: self._page(query) for key, query in queries.items()}

    def _page(self, query: str) -> Ranking:
        asked = query if self._excluded is None else self._searcher.read(query, self._excluded.get(query, ()))
        hits = self._searcher.rank(asked, HITS)
        # Fused scores are often equal, and measures would sort such hits by ID.
        return Ranking([hit.doc_id for hit in hits], range(len(hits), 0, -1))


def compare_ways(
    task: RetrievalTask,
    excluded: Mapping[str, Sequence[str]],
    model: Any,
    name: str,
    reader: ReaderOrName | None = None,
    strictness: Strictness | None = None,
) -> dict[str, dict[str, Figures]]:
    """Search a benchmark in every way; return way -> slice -> figures.

    Args:
        task: The benchmark, with slices and one measure.
        excluded: Query text -> what it excludes, as labelled by hand.
        model: A plain model, whose vectors are signed by rewriting queries, or any other ``RetrievalModel``.
        name: The model's name.
        reader: The reader of queries; None uses the model's.
        strictness: How sure the reader must be; None uses the model's setting.
    """
    index = indexed(task, DenseRetriever(name, model))
    outcomes = {}
    for each, way in WAYS.items():
        searcher = Searcher(
            model,
            index,
            settings=way.settings,
            reader=reader,
            documents=task.documents_are,
            strictness=strictness,
        )
        by_hand = excluded if way.by_hand and way.settings.plan else None
        outcomes[each] = evaluate(task, ShopSearch(each, searcher, by_hand))
    return {
        each: dict(_figures(task, outcomes[each], outcomes["plain"], outcomes[way.base])) for each, way in WAYS.items()
    }


def indexed(task: RetrievalTask, dense: DenseRetriever) -> Index:
    """Return an index of a benchmark's documents: exact vector search and BM25."""
    texts = dict(task.documents())
    index = MemoryIndex()
    for ids, vectors in dense.blocks(texts.items(), task.document_tokens):
        similarity = similarity_of(dense.model, dense.name)
        index.create(IndexDescription(dense.fingerprint, dense.name, vectors.shape[1], similarity))
        index.upsert(Rows(ids, [""] * len(ids), [texts[doc_id] for doc_id in ids], vectors, [{}] * len(ids)))
    return index


def _figures(task: RetrievalTask, found: Outcome, plain: Outcome, base: Outcome) -> Iterator[tuple[str, Figures]]:
    [measure] = map(str, task.measures)
    assert task.slice_of is not None and found.run is not None and base.run is not None
    from_plain, from_base = compare(task, found, plain), compare(task, found, base)
    for part, report in sorted(found.report.slices.items()):
        keys = [key for key, each in task.slice_of.items() if each == part]
        changed = sum(found.run[key].documents != base.run[key].documents for key in keys)
        differences = from_plain[part][measure], from_base[part][measure]
        yield part, Figures(len(keys), report.measures[measure], *differences, changed)
