"""Who answers a benchmark: a dense model, BM25, or the rules of the lexicon."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from boolattn.encoders.document_encoder import arithmetic_of, document_vectors, similarity_of
from boolattn.encoders.dual_encoder import DualEncoder
from boolattn.encoders.storage.fingerprint import document_fingerprint, former_document_fingerprint
from boolattn.encoders.storage.model_names import UnknownModelError, load_encoder, title_of
from boolattn.encoders.vectors.rewriting import LAMBDA, signed_vectors_of
from boolattn.evaluation.embeddings import cached_blocks
from boolattn.evaluation.exact_search import exact_search
from boolattn.evaluation.rankings import Ranking, Run
from boolattn.operators import NOT
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Documents as DocumentsAre
from boolattn.reading.reading import Reading
from boolattn.reading.rules.negations import negations
from boolattn.reading.rules.rule_reader import read_by_rules
from boolattn.reading.spans import Span

Documents = Iterable[tuple[str, str]]
REWRITTEN = "rewritten:"


@runtime_checkable
class Retriever(Protocol):
    """Ranks documents."""

    name: str

    def rank(self, queries: Mapping[str, str], documents: Documents, k: int, document_tokens: int) -> Run:
        """Return the k best documents (identifier, text) for each query."""
        ...


@runtime_checkable
class Reader(Protocol):
    """Says what it understands of a query."""

    name: str

    def operators(self, query: str) -> frozenset[str]:
        """Return the operators a query holds."""
        ...

    def negation(self, text: str) -> tuple[Sequence[Span], Sequence[Span]]:
        """Return the negation cues of a text and their scopes."""
        ...

    def read(self, query: str) -> Reading:
        """Return the operators of a query, their cues and their scopes."""
        ...


class DenseRetriever:
    """Any sentence-transformers model; its vectors of documents are kept on disk.

    A Boolean model encodes documents as its backbone does, so the two share the vectors that are kept.

    Attributes:
        options: How queries are read by a model that is, or is made, Boolean; by default, as the model has it.
    """

    def __init__(self, name: str, model: Any, progress: bool = True, options: ReadingOptions | None = None) -> None:
        """Serve a ``SentenceTransformer``."""
        self.name, self.queries, self.progress = name, model, progress
        own = model.tower.options if isinstance(model, DualEncoder) else ReadingOptions()
        self.options = own if options is None else options
        self.model = model = model.documents() if isinstance(model, DualEncoder) else model
        self.normalise = similarity_of(model, name) == "cosine"
        self.fingerprint = document_fingerprint(model)

    def over(self, documents: DocumentsAre) -> Self:
        """Return the same retriever for documents that are things, or pages."""
        found = copy(self)
        found.options = self.options.changed(documents=documents)
        return found

    def rank(self, queries: Mapping[str, str], documents: Documents, k: int, document_tokens: int) -> Run:
        """Rank by the model's own similarity, exactly."""
        return self.rank_vectors(queries, self.query_vectors(list(queries.values())), documents, k, document_tokens)

    def rank_vectors(
        self, queries: Iterable[str], vectors: NDArray[np.float32], documents: Documents, k: int, document_tokens: int
    ) -> Run:
        """Rank for queries, named by their identifiers, whose vectors (Q, D) are known."""
        blocks = self.blocks(documents, document_tokens)
        return dict(zip(queries, exact_search(vectors, blocks, k, progress=self.progress), strict=True))

    def query_vectors(self, queries: list[str]) -> NDArray[np.float32]:
        """Return the vectors (Q, D) of queries."""
        if isinstance(self.queries, DualEncoder):
            self.queries.options = self.options
        return self._encode_queries(self.queries, queries)

    def bare_query_vectors(self, queries: list[str]) -> NDArray[np.float32]:
        """Return the vectors (Q, D) that the plain model gives queries, which know nothing of *not*."""
        return self._encode_queries(self.model, queries)

    def _encode_queries(self, model: Any, queries: list[str]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = model.encode_query(
            queries, normalize_embeddings=self.normalise, show_progress_bar=False, convert_to_numpy=True
        )
        return found

    def blocks(self, documents: Documents, tokens: int) -> Iterator[tuple[list[str], NDArray[Any]]]:
        """Yield identifiers and vectors of documents, of which so many tokens are read; those known are not encoded."""
        usual = self.model.max_seq_length
        shorten = usual is not None and usual > tokens and usual != float("inf")

        def encode(texts: Sequence[str]) -> NDArray[Any]:
            if shorten:
                self.model.max_seq_length = tokens
            try:
                return document_vectors(self.model, texts, self.progress)
            finally:
                if shorten:
                    self.model.max_seq_length = usual

        @cache
        def former() -> str:
            return f"{former_document_fingerprint(self.model)} {settings}"

        settings = f"{tokens} {arithmetic_of(self.model)}"
        return cached_blocks(documents, encode, f"{self.fingerprint} {settings}", former=former)


class BooleanRetriever(DenseRetriever):
    """A Boolean model that also says what it understands; one that has to be told operators is a dense one."""

    def operators(self, query: str) -> frozenset[str]:
        """Return the operators the model finds."""
        return self.read(query).operators

    def negation(self, text: str) -> tuple[Sequence[Span], Sequence[Span]]:
        """Return what the model takes for exclusions."""
        found = self.read(text)
        return found.cues[NOT.name], found.scopes[NOT.name]

    def read(self, query: str) -> Reading:
        """Return what the model would act on where every document is a thing, as in all benchmarks of operators."""
        self.queries.options = self.options
        found: Reading = self.options.changed(documents="things").applied(self.queries.read(query))
        return found


class RewritingRetriever(DenseRetriever):
    """A plain model to which each query is given in two, what it wants and what not."""

    penalty = LAMBDA

    def query_vectors(self, queries: list[str]) -> NDArray[np.float32]:
        """Return the vectors (Q, D) of queries."""
        readings = [self.options.applied(reading) for reading in self.options.read(queries)]
        return signed_vectors_of(readings, super().query_vectors, self.penalty)


class Bm25Retriever:
    """BM25 by bm25s, English stems and stop words."""

    name = "bm25"

    def rank(self, queries: Mapping[str, str], documents: Documents, k: int, document_tokens: int) -> Run:
        """Index and rank; BM25 reads documents whole, whatever a dense model reads."""
        import bm25s
        import Stemmer

        stemmer = Stemmer.Stemmer("english")
        identifiers: list[str] = []

        def texts() -> Iterator[str]:
            for identifier, text in documents:
                identifiers.append(identifier)
                yield text

        index = bm25s.BM25()
        index.index(
            bm25s.tokenize(list(texts()), stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False
        )
        words = bm25s.tokenize(list(queries.values()), stopwords="en", stemmer=stemmer, show_progress=False)
        found, scores = index.retrieve(words, k=min(k, len(identifiers)), show_progress=False)
        names = np.array(identifiers, dtype=object)
        return {
            query: Ranking(names[row[values > 0]], values[values > 0])
            for query, row, values in zip(queries, found, scores, strict=True)
        }


class RulesReader:
    """The lexicon alone: nothing learned."""

    name = "rules"

    def operators(self, query: str) -> frozenset[str]:
        """Return the operators the rules find."""
        return read_by_rules(query).operators

    def negation(self, text: str) -> tuple[Sequence[Span], Sequence[Span]]:
        """Return all negations, whether they exclude something or not."""
        found = negations(text)
        return [each.cue for each in found], [each.scope for each in found]

    def read(self, query: str) -> Reading:
        """Return what the rules read."""
        return read_by_rules(query)


class LearnedReaderSystem:
    """The learned reader alone, without a model."""

    name = "learned"

    def __init__(self, options: ReadingOptions | None = None) -> None:
        """Read as the options say, and act as over things, as in all benchmarks of operators."""
        self.options = (options or ReadingOptions()).changed(reader=self.name, documents="things")

    def operators(self, query: str) -> frozenset[str]:
        """Return the operators it finds."""
        return self.read(query).operators

    def negation(self, text: str) -> tuple[Sequence[Span], Sequence[Span]]:
        """Return what it takes for exclusions."""
        found = self.read(text)
        return found.cues[NOT.name], found.scopes[NOT.name]

    def read(self, query: str) -> Reading:
        """Return what it reads."""
        return self.options.applied(self.options.read([query])[0])


def load_system(
    name: str, progress: bool = True, backbone: str | None = None, options: ReadingOptions | None = None
) -> Retriever | Reader:
    """Load ``bm25``, ``rules``, ``learned``, a shipped adapter with its backbone, or a model, as it is or made Boolean.

    ``rewritten:NAME`` is a plain model whose queries are rewritten: the simple way, to compare with. The options say
    how queries are read; by default, as a model has it.
    """
    if name == Bm25Retriever.name:
        return Bm25Retriever()
    if name == RulesReader.name:
        return RulesReader()
    if name == LearnedReaderSystem.name:
        return LearnedReaderSystem(options)
    try:
        if name.startswith(REWRITTEN):
            plain = name.removeprefix(REWRITTEN)
            return RewritingRetriever(REWRITTEN + title_of(plain), load_encoder(plain, backbone), progress, options)
        model = load_encoder(name, backbone)
        kind = BooleanRetriever if isinstance(model, DualEncoder) and model.finds_operators else DenseRetriever
        return kind(title_of(name), model, progress, options)
    except UnknownModelError as error:
        raise UnknownModelError(
            f"{error}. Beside models, 'bm25', 'rules', 'learned' and {REWRITTEN}NAME are known"
        ) from error
