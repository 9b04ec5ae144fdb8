"""Parts of a plain or Boolean sentence-transformers model that training and benchmarks use."""

from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Transformer

from boolattn.backbones.dual_encoder import DualEncoder, as_boolean
from boolattn.backbones.retrieval_model import RetrievalModel
from boolattn.backbones.storage.model_names import TRAINING_FREE, UnknownModelError, load_encoder
from boolattn.backbones.storage.plain_models import routes_of


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


def load_boolean(name: str, backbone: str | None = None) -> DualEncoder:
    """Load an adapter, a saved Boolean model, or ``training-free:NAME``."""
    model = as_boolean(load_encoder(name, backbone))
    if model is None:
        raise UnknownModelError(f"{name} is a plain embedding model: write {TRAINING_FREE}{name} to make it Boolean")
    return model
