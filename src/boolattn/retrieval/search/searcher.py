"""Searcher: a query in plain English -> ranked hits, with the reasons for their ranks."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from sentence_transformers import SentenceTransformer

from boolattn.backbones.document_encoder import similarity_of
from boolattn.backbones.retrieval_model import RetrievalModel, retrieval_model
from boolattn.backbones.storage.fingerprint import document_fingerprint
from boolattn.plans.search_plan import alternatives, has_operators, search_plan
from boolattn.plans.word_matching import words_of
from boolattn.query_vectors.query_encoder import PlainEncoder, QueryEncoder, require_finite_vectors
from boolattn.reading.caller import ExcludedWords
from boolattn.reading.limits import require_unicode
from boolattn.reading.options import ReadingOptions
from boolattn.reading.plan import BooleanPlan
from boolattn.reading.readers import ReaderOrName
from boolattn.reading.reading import Documents, Reading, Strictness
from boolattn.retrieval.index.protocol import Filter, Hit, Index, Vectors, WrongIndexError
from boolattn.retrieval.search.hits import Pool, SearchHit, fuse, unverified_hits, verified_hits


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The stages of a search.

    A query without an *and*, *or* or *not* to act on (``boolattn.plans.search_plan``) gets a plain search: one call of
    the index with the plain model's vector, merged with BM25's hits if ``text`` is set.

    Attributes:
        plan: Whether to act on operators; if False, every query gets a plain search.
        text: Hybrid search: whether a plain search also uses BM25, if the index supports it, and merges the hits.
        verify: Whether the plan orders a larger pool of candidates, atom by atom: see
            ``boolattn.plans.candidate_scores``. If not, only exclusions act, and only on the query's vector.
        strength: Weight of unwanted words against wanted ones in verification. Higher values return fewer unwanted hits
            and, above 1, also fewer relevant ones; 1 was chosen on validation queries. With 0, only the query's vector
            excludes, which ``strength`` does not affect; ``plan`` turns that off.
        pool: Number of candidates near each vector and from BM25, for merging or verification.
    """

    plan: bool = True
    text: bool = False
    verify: bool = True
    strength: float = 1.0
    pool: int = 500

    def __post_init__(self) -> None:
        if not 0 <= self.strength < float("inf"):
            raise ValueError(f"strength is {self.strength}: use 0 (only the vector excludes) or more")
        if self.pool < 1:
            raise ValueError(f"pool is {self.pool}: use 1 or more; to skip verification, use verify=False")


DEFAULT_SETTINGS = SearchSettings()
MOST_HITS = 10_000


class Searcher:
    """Searches an index with the model that encoded its documents.

    Examples:
        >>> model = SentenceTransformer("sentence-transformers/all-MiniLM-L6-v2")  # doctest: +SKIP
        >>> searcher = Searcher(model, open_index("lance:///data/films"))  # doctest: +SKIP
        >>> searcher.search("movies set in Vietnam but not about war")  # doctest: +SKIP
    """

    def __init__(
        self,
        model: SentenceTransformer | RetrievalModel,
        index: Index,
        *,
        settings: SearchSettings = DEFAULT_SETTINGS,
        reader: ReaderOrName | None = None,
        documents: Documents | None = None,
        strictness: Strictness | None = None,
        syntax: bool | None = None,
        act: bool | None = None,
    ) -> None:
        """Combine a model and an index; for the reading options, see ``ReadingOptions``.

        Args:
            model: A Boolean model, a ``ModelWithEncoder``, or a plain model, whose queries are then rewritten.
            index: The index; ``WrongIndexError`` if another model encoded its documents.
            settings: Which stages to use.
            reader: The reader of queries; None uses the model's.
            documents: What the index contains, ``"things"`` or ``"pages"``; None uses what the index declares.
            strictness: How sure the learned reader must be; None uses the model's setting.
            syntax: Whether queries use the explicit syntax.
            act: Whether to act on exclusions; if False, readings are reported, but queries are searched unchanged.
        """
        described = index.describe()
        if described.fingerprint != document_fingerprint(model):
            raise WrongIndexError(
                f"the index contains vectors of {described.model}, but this is another model, whose vectors cannot be "
                "compared with them: load that one, or encode and index the documents with this one"
            )
        self.index, self.settings = index, settings
        model = retrieval_model(model)
        self._plain = model.document_encoder()
        self.normalises = similarity_of(self._plain, described.model) == "cosine"
        self.options = model.options.changed(
            reader=reader, documents=documents or described.documents, strictness=strictness, syntax=syntax, act=act
        )
        self._plain_encoder: QueryEncoder = PlainEncoder(self._encode)
        self._acting_encoder: QueryEncoder = model.query_encoder(self.options.documents, **self._how)

    def with_vector(
        self,
        vector: Vectors,
        plain: Vectors,
        *,
        index: Index | None = None,
        settings: SearchSettings | None = None,
        options: ReadingOptions | None = None,
    ) -> "Searcher":
        """Return a searcher for one query that has been encoded elsewhere, without checking the model again.

        Args:
            vector: Of the query (D,), of unit length if ``normalises``.
            plain: The plain model's vector of the same query; it is the same if nothing is excluded.
            index: The same index, if it is called in another way; None keeps it.
            settings: Which stages to use; None keeps them.
            options: How the query is read; None keeps the options.
        """
        found = copy(self)
        found.index, found.settings = index or self.index, settings or self.settings
        found.options = options or self.options
        found._plain_encoder = PlainEncoder(lambda texts: plain[None])
        found._acting_encoder = PlainEncoder(lambda texts: vector[None])
        return found

    def read(self, query: str, exclude: ExcludedWords | None = None) -> Reading:
        """Read a query: what is seen, what is applied, and why the rest is not.

        Args:
            query: The text.
            exclude: The words to exclude, in the query or not: ``["war"]``, or with weights ``{"war": 2}``. None lets
                the reader find them.
        """
        return self.options.decided(self.options.read([query], exclude)[0])

    def plan(self, query: str | Reading, exclude: ExcludedWords | None = None) -> BooleanPlan:
        """Return the query's wanted atoms, the unwanted ones that are acted on, and how they combine."""
        self._require_effect(query, exclude)
        return self._plan(self._applied(query if isinstance(query, Reading) else self.read(query, exclude)))

    def search(
        self,
        query: str | Reading,
        k: int = 10,
        where: Sequence[Filter] = (),
        exclude: ExcludedWords | None = None,
    ) -> list[SearchHit]:
        """Return the k best documents that pass all filters, best first, with their texts and the reasons.

        Args:
            query: The text, or its reading from ``read``.
            k: Number of hits.
            where: Metadata filters.
            exclude: As in ``read``; ``ValueError`` if it would have no effect: with a reading, or without ``plan``.
        """
        reading = self._read_to_act(query, exclude)
        if self._verifies(reading):
            return verified_hits(self._gather(reading, k, where), self.settings.strength, k, reading.reader)
        hits = self._rank(reading, k, where)
        return unverified_hits(hits, self.index.fetch([hit.doc_id for hit in hits]), reading.reader)

    def rank(self, query: str | Reading, k: int = 10, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return only the IDs and scores of the k best; documents are fetched only for verification."""
        reading = self._read_to_act(query)
        if self._verifies(reading):
            pool = self._gather(reading, k, where)
            return [Hit(hit.doc_id, hit.score) for hit in verified_hits(pool, self.settings.strength, k)]
        return self._rank(reading, k, where)

    def gather(self, query: str | Reading, k: int = 10, where: Sequence[Filter] = ()) -> Pool:
        """Return the candidates to verify, at least k if there are as many, and the evidence for each.

        A query without an *and*, *or* or *not* to act on is not verified, so none of its atoms has an effect.
        """
        reading = self._read_to_act(query)
        pool = self._gather(reading, k, where)
        if has_operators(self._plan(reading)):
            return pool
        return pool._replace(evidence=replace(pool.evidence, spread=0.0))

    def _verifies(self, reading: Reading) -> bool:
        """Return whether the plan of a reading orders the candidates."""
        return self.settings.plan and self.settings.verify and has_operators(self._plan(reading))

    def _plan(self, reading: Reading) -> BooleanPlan:
        return search_plan(reading, self.options)

    def _read_to_act(self, query: str | Reading, exclude: ExcludedWords | None = None) -> Reading:
        """Return the reading to act on; a text is read here, once."""
        self._require_effect(query, exclude)
        if isinstance(query, str):
            require_unicode(query)
            if not self.settings.plan:
                return Reading.plain(query, "caller", "caller")
            [query] = self.options.read([query], exclude, screen="conditions" if self.settings.verify else "exclusions")
        return self._applied(query)

    def _require_effect(self, query: str | Reading, exclude: ExcludedWords | None) -> None:
        """Raise if the caller's exclusions would be ignored."""
        if exclude is not None and isinstance(query, Reading):
            raise ValueError(
                "exclude= has no effect on a query that has been read: pass the query's text, or exclude= to read()"
            )
        if exclude and not self.settings.plan:
            raise ValueError(f"exclude={list(exclude)!r} has no effect with SearchSettings(plan=False): use plan=True")

    def _applied(self, reading: Reading) -> Reading:
        return self.options.applied(reading) if self.settings.plan else Reading.plain(reading.query, "caller", "caller")

    def _rank(self, reading: Reading, k: int, where: Sequence[Filter]) -> list[Hit]:
        _require_hits(k)
        vector = self._vector(reading)
        if not self._asks_text and reading.exclusions:
            # Twice the hits are twice the candidates in an approximate index: a vector that excludes something lies
            # farther from all documents, and with the usual number it misses some neighbours (lab/docs/scale.md).
            return self.index.search(vector, min(2 * k, MOST_HITS), where)[:k]
        if not self._asks_text:
            return self.index.search(vector, k, where)
        depth = max(k, self.settings.pool)
        by_vector = self.index.search(vector, depth, where)
        texts = [atom.text for atom in reading.plan().positives] if reading.exclusions else [reading.query]
        return fuse([by_vector, self._by_text(texts, depth, where)])[:k]

    def _gather(self, reading: Reading, k: int, where: Sequence[Filter]) -> Pool:
        _require_hits(k)
        plan, depth = self._plan(reading), max(k, self.settings.pool)
        vectors = self._vectors(reading, plan)
        by_text = self._by_text([atom.text for atom in plan.positives], depth, where)
        by_vector = self.index.nearest(vectors, depth, where)
        known = set(by_vector.ids)
        by_text_only = [hit.doc_id for hit in by_text if hit.doc_id not in known]
        rows = by_vector.joined(self.index.fetch(by_text_only)) if by_text_only else by_vector
        return Pool.of(plan, rows, self._scoring(reading, vectors), known, self.options.documents)

    def _vector(self, reading: Reading) -> Vectors:
        """Return the query's vector (D,): where nothing is excluded, the plain model's own."""
        vector: Vectors = _encoded(self._acting_encoder if reading.exclusions else self._plain_encoder, [reading])[0]
        return vector

    def _vectors(self, reading: Reading, plan: BooleanPlan) -> Vectors:
        """Return the vectors (Q, D) that gather candidates.

        With explicit syntax, each alternative has its own. A query that excludes something also has the plain model's:
        a right document may mention what is excluded.
        """
        texts = alternatives(plan) if reading.source == "syntax" and not reading.exclusions else []
        if len(texts) > 1:
            return _encoded(self._plain_encoder, [Reading.plain(text, "syntax", reading.reader) for text in texts])
        encoders = [self._acting_encoder, self._plain_encoder] if reading.exclusions else [self._plain_encoder]
        return np.concatenate([_encoded(encoder, [reading]) for encoder in encoders])

    def _scoring(self, reading: Reading, vectors: Vectors) -> Vectors:
        """Return the vectors (Q, D) of which the nearest scores a candidate.

        Of pages that mention what is excluded, more are right than of things, so there the plain vector counts too.
        """
        if not reading.exclusions:
            return vectors
        scoring: Vectors = vectors[:1] if self.options.documents == "things" else vectors.mean(axis=0)[None]
        return scoring

    @property
    def _asks_text(self) -> bool:
        return self.settings.text and self.index.has_text

    def _by_text(self, wanted: Sequence[str], depth: int, where: Sequence[Filter]) -> list[Hit]:
        words = words_of(wanted) if self.index.has_text else []
        return self.index.search_text(" ".join(words), depth, where) if words else []

    def _encode(self, texts: list[str]) -> Vectors:
        """Return the plain model's vectors (Q, D) of texts."""
        return cast(Vectors, self._plain.encode_query(texts, **self._how))

    @property
    def _how(self) -> dict[str, Any]:
        return {"normalize_embeddings": self.normalises, "convert_to_numpy": True, "show_progress_bar": False}


def _encoded(encoder: QueryEncoder, readings: Sequence[Reading]) -> Vectors:
    vectors = encoder.encode(readings)
    require_finite_vectors(vectors)
    return vectors


def _require_hits(k: int) -> None:
    if not 1 <= k <= MOST_HITS:
        raise ValueError(f"k is {k}: ask for 1 to {MOST_HITS:,} hits")
