"""Build the model of a recipe, and freeze the weights that do not train."""

from copy import deepcopy
from itertools import chain

from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Router, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling
from torch import nn
from transformers import PreTrainedModel

from boolattn.backbones.attach.plugin import base_of
from boolattn.backbones.dual_encoder import DualEncoder, as_boolean
from boolattn.backbones.encodings.mechanism import MechanismEncoding
from boolattn.backbones.encodings.registry import ENCODINGS
from boolattn.backbones.signed_pooling import SignedPooling
from boolattn.backbones.storage.model_names import load_encoder
from boolattn.backbones.storage.plain_models import plain_modules, routes_of, settings_of
from boolattn_lab.benchmarks import model_parts
from boolattn_lab.paper.recipes import ModelSettings, Recipe, RecipeError

_LENGTH_BEFORE = "query_length_before_training"


def build_model(recipe: Recipe) -> SentenceTransformer:
    """Load or build the model: Boolean or, for comparison, plain."""
    settings = recipe.model
    model = load_encoder(settings.start)
    boolean = as_boolean(model)
    if boolean is not None:
        _require_fit(boolean, settings)
    else:
        model.similarity_fn_name = settings.similarity or model.similarity_fn_name
        if not routes_of(model):  # a trained two-tower model keeps its own pooling
            if settings.pooling is not None:
                model[1] = Pooling(model.get_embedding_dimension(), settings.pooling)
            if settings.boolean:
                model = boolean = _boolean(model, recipe)
            elif settings.towers == "separate":
                model = _two_towers(model)
    needs_gate = recipe.training.gates == "learned" or recipe.losses.gate
    if needs_gate and boolean is not None and not boolean.tower.has_learned_gate:
        raise RecipeError(
            "[training] gates = 'learned' and [losses] gate need a learned gate, which the model lacks: set gates = "
            "'given' and gate = 0"
        )
    if boolean is not None:
        boolean.tower.encoding.trained_gates = recipe.training.gates
        boolean.tower.encoding.given_scopes = recipe.training.scopes == "given"
    return model


def limit_lengths(model: SentenceTransformer, recipe: Recipe) -> None:
    """Set the recipe's maximum lengths of queries and documents; an adapter does not change that of documents."""
    for transformer in transformers_of(model):
        transformer.__dict__.setdefault(_LENGTH_BEFORE, transformer.query_length)
        transformer.query_length = recipe.model.query_tokens
        if recipe.training.learns != "adapter":
            transformer.document_length = recipe.model.document_tokens


def unlimit_lengths(model: SentenceTransformer, recipe: Recipe) -> None:
    """Restore a trained adapter's original query length, as its users expect."""
    if recipe.training.learns == "adapter":
        for transformer in transformers_of(model):
            transformer.query_length = transformer.__dict__.pop(_LENGTH_BEFORE, transformer.query_length)


def _boolean(plain: SentenceTransformer, recipe: Recipe) -> DualEncoder:
    settings = recipe.model
    kind = ENCODINGS[settings.encoding]
    encoding = MechanismEncoding(recipe.mechanism) if kind is MechanismEncoding else kind()
    separate = settings.towers == "separate"
    return DualEncoder.with_encoding(plain, encoding, signed=settings.signed, rank=settings.rank, separate=separate)


def _two_towers(plain: SentenceTransformer) -> SentenceTransformer:
    """Add a separate query encoder, initialised as a copy of the document encoder."""
    transformer, pooling, *rest = plain_modules(plain)
    router = Router.for_query_document([deepcopy(transformer), deepcopy(pooling)], [transformer, pooling])
    return SentenceTransformer(modules=[router, *rest], **settings_of(plain))


def _require_fit(model: DualEncoder, settings: ModelSettings) -> None:
    """Raise if an existing Boolean model conflicts with the recipe."""
    if not settings.boolean:
        raise RecipeError(
            f"[model] boolean = false trains a plain model, but {settings.start} is Boolean: start from its "
            f"backbone, or rerun the recipe that made it with boolean = false"
        )
    tower, readout = model.tower, model.readout
    if not tower.encoding.trainable:
        raise RecipeError(f"{settings.start} is training-free, so it has nothing to train")
    has = {
        "pooling": readout.pooling_mode,
        "similarity": model.similarity_fn_name,
        "encoding": tower.encoding.name,
        "signed": isinstance(readout, SignedPooling),
        "rank": readout.rank if isinstance(readout, SignedPooling) else 0,
        "towers": "shared" if len(transformers_of(model)) == 1 else "separate",
    }
    for name, value in has.items():
        wanted = getattr(settings, name)
        if wanted not in (getattr(ModelSettings, name), value):  # defaults do not count: most recipes omit them
            raise RecipeError(
                f"[model] {name} = {wanted!r}, but {settings.start} was made with {value!r}: remove it, or start "
                f"from a plain model"
            )


def transformers_of(model: SentenceTransformer) -> list[Transformer]:
    """Return the encoders of a plain or Boolean model: the query encoder and, if separate, the document encoder."""
    found = model_parts.transformers_of(model)
    if not found:
        raise RecipeError(f"a model to train must start with a Transformer module, not {type(model[0]).__name__}")
    return found


def freeze_parameters(model: SentenceTransformer, recipe: Recipe) -> None:
    """Freeze all parameters except those that the recipe trains.

    With "adapter", dropout in the backbone is also off: document vectors must equal those in an existing index. A
    mechanism with given scopes has nothing to learn.
    """
    learns = recipe.training.learns
    model.requires_grad_(learns == "full")
    encoders: list[PreTrainedModel] = [each.auto_model for each in transformers_of(model)]
    encoder = encoders[0]  # with two towers, only the query tower is pretrained
    added: list[nn.Module] = []
    boolean = as_boolean(model)
    if boolean is not None:
        added = [boolean.readout, *boolean.tower.encoding.learned_modules(encoder)]
    if learns == "embeddings":
        added.append(base_of(encoder).get_submodule("embeddings"))
    for module in added:
        module.requires_grad_(True)
    if learns == "adapter":
        for each in chain.from_iterable(each.modules() for each in encoders):
            if isinstance(each, nn.Dropout):
                each.p = 0.0
    if not any(weight.requires_grad for weight in model.parameters()):
        raise RecipeError(f"[training] learns = {learns!r}, but a model without BoolAttn has nothing to learn there")
