"""The parts of any sentence-transformers model, plain or Boolean: how it encodes queries, documents, and reads."""

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Transformer

from boolattn.encoders.dual_encoder import DualEncoder
from boolattn.encoders.query_encoder import QueryEncoder, Vectors
from boolattn.encoders.vectors.rewriting import RewriteEncoder
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Reading


class AttentionEncoder:
    """A ``QueryEncoder`` that acts inside a Boolean model's attention and pooling."""

    def __init__(self, model: DualEncoder, **kwargs: Any) -> None:
        """Take a Boolean model.

        Args:
            model: The model.
            **kwargs: As in ``SentenceTransformer.encode_query``.
        """
        self._model, self._kwargs = model, kwargs

    def encode(self, readings: Sequence[Reading]) -> Vectors:
        """Return the vectors (B, D) of queries; every exclusion of a reading is acted on."""
        return cast(Vectors, self._model.encode_readings(readings, **self._kwargs))


def as_boolean(model: SentenceTransformer) -> DualEncoder | None:
    """Return a model that is Boolean; None if it is plain."""
    return model if isinstance(model, DualEncoder) else None


def query_encoder(model: SentenceTransformer, **kwargs: Any) -> QueryEncoder:
    """Return how a model encodes queries that have been read: a plain one is given them rewritten.

    Args:
        model: The model.
        **kwargs: As in ``SentenceTransformer.encode_query``.
    """
    boolean = as_boolean(model)
    if boolean is not None:
        return AttentionEncoder(boolean, **kwargs)
    return RewriteEncoder(partial(model.encode_query, **kwargs))


def document_encoder(model: SentenceTransformer) -> SentenceTransformer:
    """Return the plain model that encodes documents; it shares its weights with the whole."""
    boolean = as_boolean(model)
    return model if boolean is None else boolean.document_encoder()


def transformer_of(model: SentenceTransformer) -> Transformer | None:
    """Return the backbone that queries and documents share; None where a plain model begins with something else."""
    boolean = as_boolean(model)
    first = model[0] if boolean is None else boolean.tower.transformer
    return first if isinstance(first, Transformer) else None


def reading_options_of(model: SentenceTransformer) -> ReadingOptions:
    """Return how a model reads queries; a plain one has the default options."""
    boolean = as_boolean(model)
    return ReadingOptions() if boolean is None else boolean.options


def operators_of(model: SentenceTransformer) -> tuple[str, ...]:
    """Return the operators that act in a model, in the order of the K axis; none in a plain one."""
    boolean = as_boolean(model)
    return () if boolean is None else boolean.tower.operators


def finds_operators(model: SentenceTransformer) -> bool:
    """Whether a model finds out by itself which operators a query holds; a plain one knows nothing of them."""
    boolean = as_boolean(model)
    return boolean is not None and boolean.finds_operators
