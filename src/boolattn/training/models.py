"""The model a recipe asks for, and which of its weights learn."""

from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Transformer
from sentence_transformers.sentence_transformer.modules import Pooling
from torch import nn
from transformers import PreTrainedModel

from boolattn.encoders import model_parts
from boolattn.encoders.attach.plugin import base_of
from boolattn.encoders.dual_encoder import DualEncoder
from boolattn.encoders.encodings.registry import ENCODINGS
from boolattn.encoders.model_parts import as_boolean
from boolattn.encoders.storage.model_names import load_encoder
from boolattn.encoders.vectors.signed_pooling import SignedPooling
from boolattn.training.recipes import ModelSettings, Recipe, RecipeError

_LENGTH_BEFORE = "query_length_before_training"


def build_model(recipe: Recipe) -> SentenceTransformer:
    """Load or make the model: Boolean, or, to compare with, plain."""
    settings = recipe.model
    model = load_encoder(settings.start)
    boolean = as_boolean(model)
    if boolean is not None:
        _require_fit(boolean, settings)
    else:
        model.similarity_fn_name = settings.similarity or model.similarity_fn_name
        if settings.pooling is not None:
            model[1] = Pooling(model.get_embedding_dimension(), settings.pooling)
        if settings.boolean:
            model = boolean = _boolean(model, recipe)
    if recipe.training.gates == "learned" and boolean is not None and not boolean.tower.has_learned_gate:
        raise RecipeError("[training] gates = 'learned', but the model has no gate to learn: gates = 'given'")
    return model


def limit_lengths(model: SentenceTransformer, recipe: Recipe) -> None:
    """Let queries and documents be read as far as the recipe says; an adapter leaves documents as they are."""
    transformer = transformer_of(model)
    transformer.__dict__.setdefault(_LENGTH_BEFORE, transformer.query_length)
    transformer.query_length = recipe.model.query_tokens
    if recipe.training.learns != "adapter":
        transformer.document_length = recipe.model.document_tokens


def unlimit_lengths(model: SentenceTransformer, recipe: Recipe) -> None:
    """Give queries of an adapter that has learned the length they had before, as its users know it."""
    if recipe.training.learns == "adapter":
        transformer = transformer_of(model)
        transformer.query_length = transformer.__dict__.pop(_LENGTH_BEFORE, transformer.query_length)


def _boolean(plain: SentenceTransformer, recipe: Recipe) -> DualEncoder:
    settings = recipe.model
    encoding = ENCODINGS[settings.encoding].untrained(recipe.mechanism)
    return DualEncoder.with_encoding(plain, encoding, signed=settings.signed, rank=settings.rank)


def _require_fit(model: DualEncoder, settings: ModelSettings) -> None:
    """Raise where a Boolean model, made before, is not what the recipe says."""
    if not settings.boolean:
        raise RecipeError(
            f"[model] boolean = false trains a plain model, but {settings.start} is a Boolean one: start from its "
            f"backbone, or from what the recipe that made it makes with boolean = false"
        )
    tower, readout = model.tower, model.readout
    if not tower.encoding.trainable:
        raise RecipeError(f"{settings.start} is training-free, and has nothing that could learn")
    has = {
        "pooling": readout.pooling_mode,
        "similarity": model.similarity_fn_name,
        "encoding": tower.encoding.name,
        "signed": isinstance(readout, SignedPooling),
        "rank": readout.rank if isinstance(readout, SignedPooling) else 0,
    }
    for name, value in has.items():
        wanted = getattr(settings, name)
        if wanted not in (getattr(ModelSettings, name), value):  # a default says nothing: most recipes leave it out
            raise RecipeError(
                f"[model] {name} = {wanted!r}, but {settings.start} was made with {value!r}: leave it out, or start "
                f"from a plain model"
            )


def transformer_of(model: SentenceTransformer) -> Transformer:
    """Return the one encoder of a model, plain or Boolean."""
    found = model_parts.transformer_of(model)
    if found is None:
        raise RecipeError(f"a model to train begins with a Transformer, not with {type(model[0]).__name__}")
    return found


def choose_what_learns(model: SentenceTransformer, recipe: Recipe) -> None:
    """Freeze the rest.

    With "adapter", the backbone also drops nothing out: its document vectors are those an index holds. A mechanism that
    is told all scopes has nothing to learn.
    """
    learns = recipe.training.learns
    model.requires_grad_(learns == "full")
    encoder: PreTrainedModel = transformer_of(model).auto_model
    added: list[nn.Module] = []
    boolean = as_boolean(model)
    if boolean is not None:
        added = [boolean.readout, *boolean.tower.encoding.learned_modules(encoder)]
    if learns == "embeddings":
        added.append(base_of(encoder).get_submodule("embeddings"))
    for module in added:
        module.requires_grad_(True)
    if learns == "adapter":
        for each in encoder.modules():
            if isinstance(each, nn.Dropout):
                each.p = 0.0
    if not any(weight.requires_grad for weight in model.parameters()):
        raise RecipeError(f"[training] learns = {learns!r} leaves a model without BoolAttn nothing to learn")
