"""Parts of a plain or Boolean sentence-transformers model that training and evaluation use."""

from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Transformer

from boolattn.encoders.dual_encoder import DualEncoder
from boolattn.encoders.retrieval_model import RetrievalModel
from boolattn.encoders.routes import routes_of


def as_boolean(model: SentenceTransformer | RetrievalModel) -> DualEncoder | None:
    """Return the model if it is Boolean; None if it is plain."""
    return model if isinstance(model, DualEncoder) else None


def transformers_of(model: SentenceTransformer | RetrievalModel) -> list[Transformer]:
    """Return the encoders of a model, the query encoder first: one if documents share it, otherwise two.

    For a ``RetrievalModel`` that is not a sentence-transformers model, only the document encoder is known.
    """
    if not isinstance(model, SentenceTransformer):
        return transformers_of(model.document_encoder())
    boolean, routes = as_boolean(model), routes_of(model)
    if boolean is not None:
        found = [boolean.tower.transformer, routes["document"][0]]
    elif {"query", "document"} <= set(routes):
        found = [routes["query"][0], routes["document"][0]]
    else:
        found = [model[0]]
    return [each for each in dict.fromkeys(found) if isinstance(each, Transformer)]


def operators_of(model: SentenceTransformer) -> tuple[str, ...]:
    """Return the operators that a model acts on, in the order of the K axis; empty for a plain model."""
    boolean = as_boolean(model)
    return () if boolean is None else boolean.tower.operators


def finds_operators(model: SentenceTransformer) -> bool:
    """Whether a model finds a query's operators itself; a plain model does not."""
    boolean = as_boolean(model)
    return boolean is not None and boolean.finds_operators
