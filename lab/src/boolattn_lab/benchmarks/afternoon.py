"""What an afternoon's work gets: an engine's own hybrid search and filters, beside a whole search of ours.

The engine is LanceDB: exact vector search and BM25, merged by reciprocal ranks, with an SQL filter before both.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from boolattn.plans.engine_queries import to_lancedb
from boolattn.query_vectors.rewriting import PENALTIES, RewriteEncoder, rewritten
from boolattn.reading.plan import AllOf, BooleanPlan, PlanNode, QueryAtom, join
from boolattn.reading.reading import Exclusion, Reading
from boolattn.retrieval.search.searcher import Searcher, SearchSettings
from boolattn_lab.benchmarks.esci_150.ways import indexed
from boolattn_lab.benchmarks.evaluate import Outcome, evaluate
from boolattn_lab.benchmarks.measures import Ranking, Run
from boolattn_lab.benchmarks.systems import DenseRetriever, Documents
from boolattn_lab.benchmarks.tasks import RetrievalTask

POOL = 500
"""Candidates of each half of a hybrid search, as many as ours has."""
DEPTH = 100
CUE = re.compile(r"\s(?:without|no|not|except)\s+|\s-(?=\w)", re.IGNORECASE)


class Asked(NamedTuple):
    """What the engine is asked for a query.

    Attributes:
        vector: The query's vector (D,).
        text: The words for BM25; None searches by vector alone.
        where: The filter.
    """

    vector: Any
    text: str | None
    where: str = "true"


class Engine:
    """A LanceDB table of a benchmark's documents."""

    def __init__(self, task: RetrievalTask, dense: DenseRetriever, folder: str) -> None:
        """Fill it."""
        import lancedb
        from lancedb.index import FTS

        texts = dict(task.documents())
        rows = [
            {"id": doc_id, "text": texts[doc_id], "vector": vector}
            for ids, vectors in dense.blocks(texts.items(), task.document_tokens)
            for doc_id, vector in zip(ids, vectors, strict=True)
        ]
        self._table: Any = lancedb.connect(folder).create_table("documents", rows)
        self._table.create_index("text", config=FTS(language="English", stem=True, remove_stop_words=True))

    def search(self, asked: Asked, k: int) -> list[str]:
        """Return the k best documents."""
        from lancedb.query import MatchQuery
        from lancedb.rerankers import RRFReranker

        vector = np.asarray(asked.vector, np.float32)
        if asked.text is None or not re.search(r"\w", asked.text):
            found: Any = self._table.search(vector).distance_type("cosine").limit(k)
        else:
            words = MatchQuery(asked.text, "text")  # type: ignore[call-arg]  # its defaults are pydantic's
            found = self._table.search(query_type="hybrid").vector(vector).text(words).distance_type("cosine")
            found = found.rerank(RRFReranker()).limit(POOL)
        ids: list[str] = found.where(asked.where, prefilter=True).to_arrow()["id"].to_pylist()
        return ids[:k]


class EngineSearch:
    """A way of asking the engine."""

    def __init__(self, name: str, engine: Engine, ask: Callable[[str], Asked]) -> None:
        """Store how a query is asked."""
        self.name, self._engine, self._ask = name, engine, ask

    def rank(self, queries: Mapping[str, str], documents: Documents, k: int, document_tokens: int) -> Run:
        """Return the best documents for each query."""
        return {key: _ranking(self._engine.search(self._ask(query), DEPTH)) for key, query in queries.items()}


class WholeSearch:
    """A whole search of ours, in memory."""

    def __init__(self, name: str, searcher: Searcher, gold: Mapping[str, BooleanPlan] | None = None) -> None:
        """Store the searcher, and the plan of each query, if they are given."""
        self.name, self._searcher, self._gold = name, searcher, gold

    def rank(self, queries: Mapping[str, str], documents: Documents, k: int, document_tokens: int) -> Run:
        """Return the best documents for each query."""
        asked = {key: _with_plan(query, self._gold[key]) if self._gold else query for key, query in queries.items()}
        found = {key: self._searcher.rank(each, DEPTH) for key, each in asked.items()}
        return {key: _ranking([hit.doc_id for hit in hits]) for key, hits in found.items()}


def _with_plan(query: str, plan: BooleanPlan) -> Reading:
    """Return the reading of a query whose plan is known."""
    unwanted = tuple(Exclusion(atom.span, "topic", 1.0, text=atom.text) for atom in plan.negatives)
    return replace(Reading.plain(query, "caller", "gold plan"), exclusions=unwanted, tree=plan.condition)


def compare_with_an_afternoon(
    task: RetrievalTask, model: Any, name: str, gold: Mapping[str, BooleanPlan] | None = None
) -> Iterator[Outcome]:
    """Evaluate whole searches, and then what an engine does by itself, with and without our reading.

    Args:
        task: The benchmark.
        model: A plain model.
        name: The model's name.
        gold: The right plan of each query, if known: what a search does with it is the limit of any reading.
    """
    dense = DenseRetriever(name, model).over(task.documents_are)
    index = indexed(task, dense)
    for way, settings, plans in (
        ("whole search, hybrid", SearchSettings(text=True), None),
        ("whole search", SearchSettings(), None),
        ("whole search, gold plans", SearchSettings(), gold),
    ):
        if plans or "gold" not in way:
            searcher = Searcher(model, index, settings=settings, documents=task.documents_are)
            yield evaluate(task, WholeSearch(way, searcher, plans))
    with TemporaryDirectory() as folder:
        engine = Engine(task, dense, folder)
        for way, ask in _ways(searcher, dense).items():
            yield evaluate(task, EngineSearch(way, engine, ask))


def _ways(searcher: Searcher, dense: DenseRetriever) -> dict[str, Callable[[str], Asked]]:
    def embed(texts: Sequence[str]) -> Any:
        return dense.bare_query_vectors(list(texts))

    signs = RewriteEncoder(embed, PENALTIES[searcher.options.documents])

    def reading_of(query: str) -> Reading:
        return searcher.options.applied(searcher.read(query))

    def read(query: str, signed: bool = False, hybrid: bool = True) -> Asked:
        reading = reading_of(query)
        wanted = rewritten(reading).wanted
        vector = signs.encode([reading])[0] if signed else embed([wanted])[0]
        return Asked(vector, wanted if hybrid else None, to_lancedb(reading.plan(), "text"))

    def split(query: str) -> Asked:
        wanted, unwanted = split_by_cue(query)
        return Asked(embed([wanted])[0], wanted, to_lancedb(_plan(query, wanted, unwanted), "text"))

    return {
        "vectors": lambda query: Asked(embed([query])[0], None),
        "hybrid": lambda query: Asked(embed([query])[0], query),
        "hybrid, split by a pattern, filter": split,
        "vectors, our reading, filter": lambda query: read(query, hybrid=False),
        "hybrid, our reading, filter": read,
        "hybrid, our reading, signed vector, filter": lambda query: read(query, signed=True),
    }


def split_by_cue(query: str) -> tuple[str, list[str]]:
    """Split a query as a pattern does: before the first cue is what is wanted, after each cue what is not."""
    wanted, *unwanted = CUE.split(query)
    return wanted, [each.strip() for part in unwanted for each in re.split(r",|\b(?:and|or)\b", part) if each.strip()]


def _plan(query: str, wanted: str, unwanted: Sequence[str]) -> BooleanPlan:
    atoms: list[PlanNode] = [QueryAtom(wanted, None), *(QueryAtom(each, None, -1) for each in unwanted)]
    return BooleanPlan(query, join(AllOf, atoms), 1.0, "caller", "pattern")


def _ranking(ids: Sequence[str]) -> Ranking:
    # Fused scores are often equal, and measures would sort such hits by ID.
    return Ranking(list(ids), range(len(ids), 0, -1))
