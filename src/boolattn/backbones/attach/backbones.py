"""Where each encoder family keeps its self-attention: one row per family."""

from dataclasses import dataclass

from torch import nn
from transformers import PreTrainedModel


@dataclass(frozen=True)
class Backbone:
    """Paths to the modules of one family that receive ``hidden_states`` and ``attention_mask``.

    Attributes:
        layers: Path from the base model to its list of layers.
        attention: Path from a layer to the module that receives both; empty for the layer itself.
        encoder: Path to the module that passes keyword arguments down to the layers, if the model itself does not.
    """

    layers: str
    attention: str
    encoder: str | None = None


BERT = Backbone(layers="encoder.layer", attention="attention.self")

BACKBONES: dict[str, Backbone] = {
    "bert": BERT,
    "roberta": BERT,
    "xlm-roberta": BERT,
    "electra": BERT,
    "distilbert": Backbone(layers="transformer.layer", attention="attention"),
    "modernbert": Backbone(layers="layers", attention="attn"),
    # The model and its layers drop keywords: pass them in at the encoder, and change the mask of the layer itself.
    "mpnet": Backbone(layers="encoder.layer", attention="", encoder="encoder"),
}

# Others do not support an additive bias: flash attention has none, flex attention uses only the mask of head 0.
ATTENTION_IMPLEMENTATIONS = ("eager", "sdpa")


class UnknownBackboneError(ValueError):
    """The encoder's family is not in the table."""


class AttentionBackendError(ValueError):
    """The attention implementation would drop the bias."""


def backbone_of(model: PreTrainedModel) -> Backbone:
    """Return the row of a model's family."""
    family = model.config.model_type
    if family not in BACKBONES:
        raise UnknownBackboneError(
            f"boolattn does not support {family!r} models yet (supported: {sorted(BACKBONES)}). "
            f"If their attention adds a float attention_mask to the scores, add a row: "
            f"boolattn.backbones.attach.backbones.BACKBONES[{family!r}] = Backbone(layers=..., attention=...), "
            f"with the paths from the base model to its list of layers and from a layer to its self-attention."
        )
    return BACKBONES[family]


def attention_modules(model: PreTrainedModel) -> list[nn.Module]:
    """Return the modules that receive ``hidden_states`` and ``attention_mask``, one per layer."""
    attention = backbone_of(model).attention
    return [layer.get_submodule(attention) for layer in layers_of(model)]


def layers_of(model: PreTrainedModel) -> nn.ModuleList:
    """Return the layers; the first reads the embeddings."""
    layers = model.get_submodule(backbone_of(model).layers)
    assert isinstance(layers, nn.ModuleList)
    return layers


def require_additive_attention(model: PreTrainedModel) -> None:
    """Raise if the model's attention implementation does not support an additive bias."""
    name = model.config._attn_implementation
    if name not in ATTENTION_IMPLEMENTATIONS:
        raise AttentionBackendError(
            f"attention implementation {name!r} would silently drop the Boolean bias: flash attention has none, and "
            f"flex attention uses only that of head 0. Load the model with attn_implementation='sdpa' (or 'eager'), "
            f"or call model.set_attn_implementation('sdpa')."
        )
