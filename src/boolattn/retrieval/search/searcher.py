"""Searcher: a query in words -> ranked hits, and why they rank as they do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from sentence_transformers import SentenceTransformer

from boolattn.encoders.document_encoder import similarity_of
from boolattn.encoders.model_parts import document_encoder, query_encoder, reading_options_of
from boolattn.encoders.query_encoder import PlainEncoder, QueryEncoder
from boolattn.encoders.storage.fingerprint import is_document_fingerprint
from boolattn.reading.plan import BooleanPlan, QueryAtom
from boolattn.reading.readers import ReaderOrName
from boolattn.reading.reading import Documents, Reading, Strictness
from boolattn.retrieval.index.protocol import Filter, Hit, Index, Vectors, WrongIndexError
from boolattn.retrieval.search.fusion import fuse
from boolattn.retrieval.search.hits import SearchHit, unverified_hits, verified_hits
from boolattn.retrieval.search.lexical_match import distinctive_words, words_of
from boolattn.retrieval.search.verification import Pool


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Which stages a search goes through. With ``text`` and ``verify`` off, it is one vector and one call of the index.

    Attributes:
        plan: Act on the query's *and*, *or* and *not*; off, the query is its words and the plain model's vector.
        text: Ask BM25 too, where the index has it, for the wanted words, and join what both find.
        verify: Score a broad pool of candidates anew, atom by atom: see ``boolattn.retrieval.search.verification``.
        strength: How much what is unwanted weighs against what is wanted where words are asked and hits verified. The
            more, the fewer unwanted hits, and past 1 the fewer right ones too; 1 was chosen on generated validation
            queries. With 0 only the query's vector excludes, as it does whatever the strength: its switch is ``plan``.
        pool: How many candidates the vector and BM25 each bring, where they are joined or verified.
    """

    plan: bool = True
    text: bool = True
    verify: bool = True
    strength: float = 1.0
    pool: int = 500

    def __post_init__(self) -> None:
        if not 0 <= self.strength < float("inf"):
            raise ValueError(f"strength is {self.strength}: give 0, so that only the vector excludes, or more")
        if self.pool < 1:
            raise ValueError(f"pool is {self.pool}: give 1 or more; verify=False verifies nothing")


DEFAULT_SETTINGS = SearchSettings()
MOST_HITS = 1_000_000


class Searcher:
    """Searches one index with the model it was made with.

    Example:
        >>> searcher = Searcher(boolattn.load("minilm-l6"), open_index("lance:///data/films"))  # doctest: +SKIP
        >>> searcher.search("movies set in Vietnam but not about war")  # doctest: +SKIP
    """

    def __init__(
        self,
        model: SentenceTransformer,
        index: Index,
        *,
        settings: SearchSettings = DEFAULT_SETTINGS,
        reader: ReaderOrName | None = None,
        documents: Documents | None = None,
        strictness: Strictness | None = None,
        syntax: bool | None = None,
        act: bool | None = None,
    ) -> None:
        """Join a model and an index; for the options of reading, see ``ReadingOptions``.

        Args:
            model: A Boolean model, or a plain one, whose queries are then rewritten.
            index: The index; ``WrongIndexError`` if another model encoded its documents.
            settings: Which stages to go through.
            reader: Who reads the queries; None is the model's reader.
            documents: What the index holds, ``"things"`` or ``"pages"``; None is as it was declared to the index.
            strictness: How sure the learned reader must be; None is the model's.
            syntax: Whether queries are written in the explicit syntax.
            act: Whether exclusions are acted on; off, queries are read and reported, and searched as they are.
        """
        described = index.describe()
        if not is_document_fingerprint(described.fingerprint, model):
            raise WrongIndexError(
                f"the index holds vectors of {described.model}, and this is another model, whose vectors cannot be "
                "compared with them: load that one, or encode and index the documents with this one"
            )
        self.index, self.settings = index, settings
        self._plain = document_encoder(model)
        self._normalise = similarity_of(self._plain, described.model) == "cosine"
        encoder = query_encoder(model, **self._how) if settings.plan else PlainEncoder(self._encode)
        self._encoder: QueryEncoder = encoder
        self.options = reading_options_of(model).changed(
            reader=reader, documents=documents or described.documents, strictness=strictness, syntax=syntax, act=act
        )

    def read(self, query: str, exclude: Sequence[str] | None = None) -> Reading:
        """Return all that is understood of a query, also what is not acted on.

        Args:
            query: The text.
            exclude: The words that it excludes, as its caller knows them; None lets the reader find out.
        """
        _require_unicode(query)
        return self.options.read([query], exclude)[0]

    def plan(self, query: str | Reading, exclude: Sequence[str] | None = None) -> BooleanPlan:
        """Return what is acted on: the query's wanted and unwanted atoms, and how they combine."""
        return self._applied(query, exclude).plan()

    def search(
        self,
        query: str | Reading,
        k: int = 10,
        where: Sequence[Filter] = (),
        exclude: Sequence[str] | None = None,
    ) -> list[SearchHit]:
        """Return the k best documents that pass all filters, best first, with their texts and the reasons.

        Args:
            query: The text, or its reading, where ``read`` was called before.
            k: How many.
            where: Filters on metadata.
            exclude: As in ``read``.
        """
        reading = self._applied(query, exclude)
        if self.settings.verify:
            return verified_hits(self._gather(reading, k, where), self.settings.strength, k, reading.reader)
        hits = self._rank(reading, k, where)
        return unverified_hits(hits, self.index.fetch([hit.doc_id for hit in hits]), reading.reader)

    def rank(self, query: str | Reading, k: int = 10, where: Sequence[Filter] = ()) -> list[Hit]:
        """Return ids and scores of the k best alone; unless they are verified, no document is fetched."""
        if self.settings.verify:
            return [Hit(hit.doc_id, hit.score) for hit in self.search(query, k, where)]
        return self._rank(self._applied(query), k, where)

    def gather(self, query: str | Reading, k: int = 10, where: Sequence[Filter] = ()) -> Pool:
        """Return the candidates to be verified and the evidence for each: no fewer than k, where there are so many."""
        return self._gather(self._applied(query), k, where)

    def _applied(self, query: str | Reading, exclude: Sequence[str] | None = None) -> Reading:
        """Return what a search acts on: the query is read here, once, if it has not been before."""
        if not self.settings.plan:
            text = query if isinstance(query, str) else query.query
            _require_unicode(text)
            return Reading.plain(text, "caller", "caller")
        return self.options.applied(query if isinstance(query, Reading) else self.read(query, exclude))

    def _rank(self, reading: Reading, k: int, where: Sequence[Filter]) -> list[Hit]:
        _require_hits(k)
        vector = self._vector(reading)
        if not self._asks_text:
            return self.index.search(vector, k, where)
        plan, depth = reading.plan(), max(k, self.settings.pool)
        found = [self.index.search(vector, depth, where), self._by_text(plan, depth, where)]
        unwanted = self._unwanted_by_text(plan, depth, where)
        return fuse(found, unwanted, self.settings.strength)[:k]

    def _gather(self, reading: Reading, k: int, where: Sequence[Filter]) -> Pool:
        _require_hits(k)
        plan, depth = reading.plan(), max(k, self.settings.pool)
        vector = self._vector(reading)
        by_text = self._by_text(plan, depth, where)
        found = [*self.index.search(vector, depth, where), *by_text]
        rows = self.index.fetch(list(dict.fromkeys(hit.doc_id for hit in found)))
        # A query that is one wanted atom has been encoded as just that.
        plain = isinstance(plan.condition, QueryAtom) and plan.condition.sign == 1
        wanted = vector if plain else self._encode([atom.text for atom in plan.positives])
        return Pool.of(plan, rows, vector, wanted.reshape(-1, len(vector)), by_text)

    def _vector(self, reading: Reading) -> Vectors:
        """Return the query's vector (D,)."""
        vector: Vectors = self._encoder.encode([reading])[0]
        return vector

    @property
    def _asks_text(self) -> bool:
        return self.settings.text and self.index.has_text

    def _by_text(self, plan: BooleanPlan, depth: int, where: Sequence[Filter]) -> list[Hit]:
        words = words_of(atom.text for atom in plan.positives) if self._asks_text else []
        return self.index.search_text(" ".join(words), depth, where) if words else []

    def _unwanted_by_text(self, plan: BooleanPlan, depth: int, where: Sequence[Filter]) -> list[Hit]:
        """Find what BM25 finds for the unwanted words, except those that are wanted too."""
        paired = zip(plan.atoms, distinctive_words(plan.atoms), strict=True)
        words = list(dict.fromkeys(word for atom, words in paired if atom.sign == -1 for word in words))
        return self.index.search_text(" ".join(words), depth, where) if words and self.settings.strength else []

    def _encode(self, texts: list[str]) -> Vectors:
        """Return the plain model's vectors (Q, D) of texts."""
        return cast(Vectors, self._plain.encode_query(texts, **self._how))

    @property
    def _how(self) -> dict[str, Any]:
        return {"normalize_embeddings": self._normalise, "convert_to_numpy": True, "show_progress_bar": False}


def _require_hits(k: int) -> None:
    if not 1 <= k <= MOST_HITS:
        raise ValueError(f"k is {k}: ask for 1 to {MOST_HITS:,} hits")


def _require_unicode(query: str) -> None:
    if any("\ud800" <= character <= "\udfff" for character in query):
        raise ValueError(f"the query is not valid Unicode, as if read in another encoding than its own: {query!a}")
