"""Systems to evaluate: a dense model, BM25, a learned reader, or the rules."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from boolattn.backbones.document_encoder import similarity_of
from boolattn.backbones.retrieval_model import chooses_query_encoder, retrieval_model
from boolattn.backbones.storage.fingerprint import document_fingerprint
from boolattn.backbones.storage.model_names import UnknownModelError, load_encoder, title_of
from boolattn.operators import NOT
from boolattn.query_vectors.rewriting import PENALTIES, RewriteEncoder, rewritten
from boolattn.reading.options import ReadingOptions
from boolattn.reading.readers import ReaderOrName
from boolattn.reading.reading import Documents as DocumentsAre
from boolattn.reading.reading import Reading, Strictness
from boolattn.reading.rules.negations import negations
from boolattn.reading.rules.rule_reader import read_by_rules
from boolattn.reading.spans import Span
from boolattn_lab.benchmarks.bm25 import rank_by_bm25
from boolattn_lab.benchmarks.document_cache import document_blocks
from boolattn_lab.benchmarks.exact_search import exact_search
from boolattn_lab.benchmarks.measures import Ranking, Run
from boolattn_lab.benchmarks.model_parts import finds_operators

Documents = Iterable[tuple[str, str]]
REWRITTEN = "rewritten:"
FLIP = "flip:"


@runtime_checkable
class Retriever(Protocol):
    """Ranks documents."""

    name: str

    def rank(self, queries: Mapping[str, str], documents: Documents, k: int, document_tokens: int) -> Run:
        """Return the k best documents (ID, text) for each query."""
        ...


@runtime_checkable
class Reader(Protocol):
    """Reports how it reads a query."""

    name: str

    def operators(self, query: str) -> frozenset[str]:
        """Return the operators that a query contains."""
        ...

    def negation(self, text: str) -> tuple[Sequence[Span], Sequence[Span]]:
        """Return the negation cues of a text and their scopes."""
        ...

    def read(self, query: str) -> Reading:
        """Return the operators of a query, their cues and their scopes."""
        ...


class DenseRetriever:
    """Any sentence-transformers model or ``RetrievalModel``; document vectors are cached on disk.

    A Boolean model encodes documents as its backbone does, so the two share cached vectors.

    Attributes:
        options: How a Boolean model reads queries; by default, the model's own options.
    """

    def __init__(self, name: str, model: Any, progress: bool = True, options: ReadingOptions | None = None) -> None:
        """Wrap a ``SentenceTransformer`` or any ``RetrievalModel``."""
        self.name, self.queries, self.progress = name, model, progress
        self.options = retrieval_model(model).options if options is None else options
        self.model = model = retrieval_model(model).document_encoder()
        self.normalise = similarity_of(model, name) == "cosine"
        self.fingerprint = document_fingerprint(model)

    def over(self, documents: DocumentsAre) -> Self:
        """Return a copy for documents that are things, or pages."""
        found = copy(self)
        found.options = self.options.changed(documents=documents)
        return found

    def rank(self, queries: Mapping[str, str], documents: Documents, k: int, document_tokens: int) -> Run:
        """Rank by exact search with the model's own similarity."""
        return self.rank_vectors(queries, self.query_vectors(list(queries.values())), documents, k, document_tokens)

    def rank_vectors(
        self, queries: Iterable[str], vectors: NDArray[np.float32], documents: Documents, k: int, document_tokens: int
    ) -> Run:
        """Rank documents for query IDs with known vectors (Q, D)."""
        blocks = self.blocks(documents, document_tokens)
        return dict(zip(queries, exact_search(vectors, blocks, k, progress=self.progress), strict=True))

    def query_vectors(self, queries: list[str]) -> NDArray[np.float32]:
        """Return the vectors (Q, D) of queries."""
        if chooses_query_encoder(self.queries):
            self.queries.options = self.options
        return self._encode_queries(self.queries, queries)

    def bare_query_vectors(self, queries: list[str]) -> NDArray[np.float32]:
        """Return the plain model's vectors (Q, D) of queries, which ignore *not*."""
        return self._encode_queries(self.model, queries)

    def _encode_queries(self, model: Any, queries: list[str]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = model.encode_query(
            queries, normalize_embeddings=self.normalise, show_progress_bar=False, convert_to_numpy=True
        )
        return found

    def blocks(self, documents: Documents, tokens: int) -> Iterator[tuple[list[str], NDArray[Any]]]:
        """Yield IDs and vectors of documents, truncated to ``tokens``; cached vectors are reused."""
        return document_blocks(self.model, self.fingerprint, documents, tokens, self.progress)


class ActingReader:
    """Reports the reading that a search would apply."""

    def read(self, query: str) -> Reading:
        """Return the reading."""
        raise NotImplementedError

    def operators(self, query: str) -> frozenset[str]:
        """Return the operators found."""
        return self.read(query).operators

    def negation(self, text: str) -> tuple[Sequence[Span], Sequence[Span]]:
        """Return the cues and scopes of exclusions."""
        found = self.read(text)
        return found.cues[NOT.name], found.scopes[NOT.name]


class BooleanRetriever(ActingReader, DenseRetriever):
    """A Boolean model that also reports how it reads; one that requires given operators is only a retriever."""

    def read(self, query: str) -> Reading:
        """Return the reading that the model applies over things, as in all operator benchmarks."""
        self.queries.options = self.options
        found: Reading = self.options.changed(documents="things").applied(self.queries.options.read([query])[0])
        return found


class RewritingRetriever(DenseRetriever):
    """A plain model that encodes what a query wants and what it excludes as two texts."""

    penalty: float | None = None  # None uses the default for these documents

    def query_vectors(self, queries: list[str]) -> NDArray[np.float32]:
        """Return the vectors (Q, D) of queries."""
        readings = [self.options.applied(each) for each in self.options.read(queries, screen="exclusions")]
        penalty = PENALTIES[self.options.documents] if self.penalty is None else self.penalty
        return RewriteEncoder(super().query_vectors, penalty).encode(readings)


class FlipRetriever(DenseRetriever):
    """FLIP's formula with boolattn's reading: score(query) - beta score(what it excludes).

    Scores are linear in the query's vector, so one vector ranks by both. Unlike a rewritten query, the whole query is
    encoded, the words it excludes included.
    """

    beta: float

    def query_vectors(self, queries: list[str]) -> NDArray[np.float32]:
        """Return the vectors (Q, D) of queries."""
        readings = [self.options.applied(each) for each in self.options.read(queries, screen="exclusions")]
        unwanted = {place: text for place, each in enumerate(readings) if (text := rewritten(each).unwanted)}
        vectors = super().query_vectors([*queries, *unwanted.values()])
        found, excluded = vectors[: len(queries)], vectors[len(queries) :]
        found[list(unwanted)] -= self.beta * excluded
        return found


class Bm25Retriever:
    """BM25 by bm25s, with English stemming and stop words."""

    name = "bm25"

    def rank(self, queries: Mapping[str, str], documents: Documents, k: int, document_tokens: int) -> Run:
        """Index and rank; BM25 always reads whole documents."""
        found = rank_by_bm25(list(queries.values()), documents, k)
        return {query: Ranking(*each) for query, each in zip(queries, found, strict=True)}


class RulesReader:
    """The rules alone, without a learned reader."""

    name = "rules"

    def operators(self, query: str) -> frozenset[str]:
        """Return the operators the rules find."""
        return read_by_rules(query).operators

    def negation(self, text: str) -> tuple[Sequence[Span], Sequence[Span]]:
        """Return all negations, whether or not they exclude something."""
        found = negations(text)
        return [each.cue for each in found], [each.scope for each in found]

    def read(self, query: str) -> Reading:
        """Return the reading of the rules."""
        return read_by_rules(query)


class LearnedReaderSystem(ActingReader):
    """A learned reader without a model: the shipped one, or the one in the options."""

    name = "learned"

    def __init__(self, options: ReadingOptions | None = None) -> None:
        """Read with the options, over things, as in all operator benchmarks."""
        self.options = (options or ReadingOptions()).changed(documents="things")
        if self.options.reader == "rules":
            raise ValueError("--model learned measures a learned reader: use --model rules for the rules")

    def read(self, query: str) -> Reading:
        """Return the reading that a search would apply."""
        return self.options.applied(self.options.read([query])[0])


def system_title(name: str) -> str:
    """Return a system's name for tables and result files: that of its model without a local path, see ``title_of``."""
    beta = name.removeprefix(FLIP).partition(":")[0]
    model = name.removeprefix(f"{FLIP}{beta}:").removeprefix(REWRITTEN)
    return name[: len(name) - len(model)] + title_of(model)


def load_system(
    name: str,
    progress: bool = True,
    backbone: str | None = None,
    reader: ReaderOrName | None = None,
    strictness: Strictness | None = None,
) -> Retriever | Reader:
    """Load ``bm25``, ``rules``, ``learned``, an adapter with its backbone, or a plain or Boolean model.

    ``rewritten:NAME`` is a plain model with rewritten queries, and ``flip:BETA:NAME`` one with FLIP's formula, both as
    simple baselines. See ``ReadingOptions`` for the reader and the strictness; None keeps the model's own.
    """
    changes = {"reader": reader, "strictness": strictness}
    if name == Bm25Retriever.name:
        return Bm25Retriever()
    if name == RulesReader.name:
        return RulesReader()
    if name == LearnedReaderSystem.name:
        return LearnedReaderSystem(ReadingOptions().changed(**changes))
    if name.startswith(FLIP):
        return _load_flip(name, progress, backbone, changes)
    try:
        plain = name.removeprefix(REWRITTEN)
        model = load_encoder(plain, backbone)
        options = retrieval_model(model).options.changed(**changes)
        if plain != name:
            return RewritingRetriever(system_title(name), model, progress, options)
        kind = BooleanRetriever if finds_operators(model) else DenseRetriever
        return kind(system_title(name), model, progress, options)
    except UnknownModelError as error:
        raise UnknownModelError(
            f"{error}. Besides models, use 'bm25', 'rules', 'learned', {REWRITTEN}NAME or {FLIP}BETA:NAME"
        ) from error


def _load_flip(name: str, progress: bool, backbone: str | None, changes: Mapping[str, Any]) -> FlipRetriever:
    beta, _, plain = name.removeprefix(FLIP).partition(":")
    try:
        weight = float(beta)
    except ValueError as error:
        raise UnknownModelError(f"{name!r} has no beta: use {FLIP}0.5:NAME") from error
    model = load_encoder(plain, backbone)
    found = FlipRetriever(system_title(name), model, progress, retrieval_model(model).options.changed(**changes))
    found.beta = weight
    return found
