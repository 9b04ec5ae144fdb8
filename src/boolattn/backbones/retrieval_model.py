"""RetrievalModel: the interface of models for search, explanation and evaluation, with any query encoder."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

from sentence_transformers import SentenceTransformer

from boolattn.query_vectors.query_encoder import Embed, QueryEncoder
from boolattn.query_vectors.rewriting import PENALTIES, RewriteEncoder
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Documents


class RetrievalModel(Protocol):
    """A plain model for documents, and any encoder for queries.

    Attributes:
        options: How queries are read, and which exclusions are acted on.
    """

    options: ReadingOptions

    def document_encoder(self) -> SentenceTransformer:
        """Return the plain model that encodes documents."""
        ...

    def query_encoder(self, documents: Documents = "pages", **kwargs: Any) -> QueryEncoder:
        """Return the encoder of readings.

        Args:
            documents: What the index contains, which may affect the strength of exclusion.
            **kwargs: As in ``SentenceTransformer.encode_query``.
        """
        ...

    def encode_query(self, inputs: Any, **kwargs: Any) -> Any:
        """Read queries and encode them, like ``SentenceTransformer.encode_query``."""
        ...


class ModelWithEncoder:
    """A sentence-transformers model whose queries are encoded by any ``QueryEncoder``.

    Examples:
        >>> Searcher(ModelWithEncoder(SentenceTransformer(folder), RewriteEncoder), index)  # doctest: +SKIP
    """

    def __init__(
        self,
        model: SentenceTransformer,
        encoder: Callable[[Embed], QueryEncoder],
        options: ReadingOptions | None = None,
    ) -> None:
        """Combine a model and a query encoder.

        Args:
            model: The model, which encodes documents, and texts for the query encoder.
            encoder: Creates the query encoder from an embedding function, such as the class ``RewriteEncoder``.
            options: How queries are read; None uses the default options.
        """
        self._model, self._encoder, self.options = model, encoder, options or ReadingOptions()

    def document_encoder(self) -> SentenceTransformer:
        """Return the model."""
        return self._model

    def query_encoder(self, documents: Documents = "pages", **kwargs: Any) -> QueryEncoder:
        """Return the query encoder; it calls the model's ``encode_query`` with these arguments."""
        return self._encoder(partial(self._model.encode_query, **kwargs))

    def encode_query(self, inputs: str | Sequence[str], **kwargs: Any) -> Any:
        """Read queries, keep the exclusions to act on, and encode them."""
        texts = [inputs] if isinstance(inputs, str) else list(inputs)
        readings = [self.options.applied(each) for each in self.options.read(texts, screen="exclusions")]
        vectors = self.query_encoder(self.options.documents, **kwargs).encode(readings)
        return vectors[0] if isinstance(inputs, str) else vectors


class RewritingModel(ModelWithEncoder):
    """A plain sentence-transformers model with rewritten queries."""

    def __init__(self, model: SentenceTransformer, options: ReadingOptions | None = None) -> None:
        """Store the model and its reading options."""
        super().__init__(model, RewriteEncoder, options)

    def query_encoder(self, documents: Documents = "pages", **kwargs: Any) -> QueryEncoder:
        """Return the query encoder, which excludes more strongly if documents are things."""
        return RewriteEncoder(partial(self._model.encode_query, **kwargs), PENALTIES[documents])


def chooses_query_encoder(model: SentenceTransformer | RetrievalModel) -> bool:
    """Whether a model is a ``RetrievalModel``, which a plain sentence-transformers model is not."""
    return hasattr(model, "query_encoder")  # not isinstance: that would evaluate ``options``


def retrieval_model(model: SentenceTransformer | RetrievalModel) -> RetrievalModel:
    """Return a ``RetrievalModel``; for a plain model, one that rewrites queries."""
    found: Any = model
    return found if chooses_query_encoder(model) else RewritingModel(found)


def document_encoder(model: SentenceTransformer | RetrievalModel) -> SentenceTransformer:
    """Return the plain model that encodes documents; it shares its weights with the given model."""
    return retrieval_model(model).document_encoder()
