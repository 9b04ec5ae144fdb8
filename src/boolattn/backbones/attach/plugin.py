"""attach, detach, save, load: BoolAttn as a reversible plug-in."""

from pathlib import Path
from typing import Any, TypeVar, cast

import torch
from torch.utils.hooks import RemovableHandle
from transformers import PreTrainedModel

from boolattn.attention import BoolAttention, BoolAttnConfig
from boolattn.backbones.attach.backbones import attention_modules, backbone_of, require_additive_attention
from boolattn.backbones.attach.hooks import KEYWORD, Handover, LayerHook, ModelHook
from boolattn.backbones.storage.adapter_format import (
    MECHANISM,
    Adapter,
    MechanismSettings,
    read_adapter,
    write_adapter,
)
from boolattn.backbones.storage.sound_weights import require_fitting

Model = TypeVar("Model", bound=PreTrainedModel)


def attach(model: Model, config: BoolAttnConfig | None = None, on_request: bool = False) -> Model:
    """Attach BoolAttn to an encoder, in place, and return the encoder.

    The model's forward call then also accepts

    - ``operators=``: for each query, the operators it contains, such as ``[["not"], []]``, or gates (B, K);
      ``"learned"`` uses the learned gate;
    - ``cues=`` (B, L, K), ``scopes=`` (B, L, K), ``strength=``: known values, used instead of predictions;
    - ``trace=True``: the encoder's output then has ``output.boolattn``, a ``Trace`` of what the mechanism did.

    Without operators (or with ``gate="learned"`` finding none) the output is bit-identical to the backbone's. A learned
    gate reads every input: for documents, close it with ``operators=[[]] * batch``, or attach with
    ``on_request=True``.

    Save with ``save_adapter``; ``model.save_pretrained`` still saves only the backbone.

    Args:
        model: A Hugging Face encoder of a supported family, alone or with a head (traces then need the encoder itself,
            ``model.base_model``). For a sentence-transformers model, pass the Hugging Face model inside it.
        config: The mechanism's settings; the paper's by default.
        on_request: Whether a learned gate stays closed unless a call has ``operators="learned"``. Documents that go
            through the same encoder then keep the backbone's vectors.

    Examples:
        >>> model = attach(AutoModel.from_pretrained(name))  # doctest: +SKIP
        >>> model(**tokens, operators=[["not"]])  # doctest: +SKIP
    """
    base = base_of(model)
    if hasattr(base, KEYWORD):
        raise ValueError("the model already has BoolAttn: call detach(model) first")
    attentions = attention_modules(base)
    require_additive_attention(base)
    encoder = backbone_of(base).encoder
    if encoder is not None and model is not base:
        raise ValueError(
            f"heads of {base.config.model_type!r} models drop keywords of the forward call such as operators=: "
            "attach to the encoder under the head (model.base_model) and call that"
        )
    if getattr(base.config, "is_decoder", False):
        raise ValueError("BoolAttn needs bidirectional attention: load the model with is_decoder=False")
    with torch.inference_mode(False):
        mechanism = _mechanism_for(base, config or BoolAttnConfig())
        some_weight = next(base.parameters())
        mechanism.to(device=some_weight.device, dtype=some_weight.dtype).train(base.training)

    handover = Handover() if encoder is not None else None
    model_hook = ModelHook(mechanism, base, handover, on_request)
    handles = [
        base.register_forward_pre_hook(model_hook.before, with_kwargs=True),
        base.register_forward_hook(model_hook.after, with_kwargs=True, always_call=True),
    ]
    if encoder is not None and handover is not None:
        handles.append(base.get_submodule(encoder).register_forward_pre_hook(handover.before, with_kwargs=True))
    for index, attention in enumerate(attentions):
        hook = LayerHook(mechanism, index)
        handles.append(attention.register_forward_pre_hook(hook.before, with_kwargs=True))
    base.add_module(KEYWORD, mechanism)
    mechanism.handles = handles  # type: ignore[assignment]
    _hide_from_saving(model)
    return model


def detach(model: Model) -> Model:
    """Remove BoolAttn, in place: the backbone is as it was before ``attach``."""
    mechanism = mechanism_of(model)
    handles: list[RemovableHandle] = mechanism.handles  # type: ignore[assignment]
    for handle in handles:
        handle.remove()
    delattr(base_of(model), KEYWORD)
    return model


def mechanism_of(model: PreTrainedModel) -> BoolAttention:
    """Return the attached BoolAttn module."""
    mechanism = getattr(base_of(model), KEYWORD, None)
    if not isinstance(mechanism, BoolAttention):
        raise ValueError("the model has no BoolAttn: call attach(model) first")
    return mechanism


def save_adapter(model: PreTrainedModel, folder: str | Path) -> None:
    """Write the adapter without the backbone: ``boolattn.safetensors`` and ``boolattn.json``."""
    write_adapter(adapter_of(model), folder)


def load_adapter(model: Model, folder: str | Path, on_request: bool = False) -> Model:
    """Attach the mechanism of a saved adapter. Reads JSON and safetensors; nothing in them is executed.

    Args:
        model: The encoder it was saved from, or one of the same shape.
        folder: The adapter's folder.
        on_request: As in ``attach``.
    """
    adapter = read_adapter(folder)
    if adapter.mechanism is None:
        raise ValueError(
            f"the adapter in {folder} has no mechanism to attach: load it with boolattn.load_encoder({str(folder)!r})"
        )
    ours, theirs = _shape(base_of(model)), adapter.mechanism.backbone
    if ours != theirs:
        raise ValueError(f"the adapter in {folder} is for {theirs}, this model is {ours}")
    settings, weights = adapter.mechanism.config, adapter.weights_under(MECHANISM)
    shapes = {name: tuple(each.shape) for name, each in weights.items()}
    require_fitting(lambda: _mechanism_for(base_of(model), BoolAttnConfig.from_dict(settings)), shapes, str(folder))
    attach(model, BoolAttnConfig.from_dict(settings), on_request)
    mechanism_of(model).load_state_dict(weights)
    return model


def adapter_of(model: PreTrainedModel) -> Adapter:
    """Return the mechanism of a model as an adapter."""
    mechanism = mechanism_of(model)
    weights = {MECHANISM + name: value for name, value in mechanism.state_dict().items()}
    return Adapter(MechanismSettings(_shape(base_of(model)), mechanism.config.to_dict()), weights=weights)


def base_of(model: PreTrainedModel) -> PreTrainedModel:
    """Return the encoder itself, without any head."""
    if not hasattr(model, "base_model"):
        raise TypeError(
            f"a Hugging Face model is needed, not {type(model).__name__}: for a sentence-transformers model, use "
            "DualEncoder, or pass the Hugging Face model inside it, model[0].model"
        )
    return cast(PreTrainedModel, model.base_model)


def _hide_from_saving(model: PreTrainedModel) -> None:
    """Make ``save_pretrained`` of the encoder, and of a model with a head, write only the backbone."""
    for each in (model, base_of(model)):
        ours = {name for name in each.state_dict() if KEYWORD in name.split(".")}
        each._keys_to_ignore_on_save = {*(each._keys_to_ignore_on_save or ()), *ours}


def _mechanism_for(base: PreTrainedModel, config: BoolAttnConfig) -> BoolAttention:
    return BoolAttention(config, layers=len(attention_modules(base)), **_sizes(base))


def _sizes(base: PreTrainedModel) -> dict[str, int]:
    return {"hidden_size": base.config.hidden_size, "heads": base.config.num_attention_heads}


def _shape(base: PreTrainedModel) -> dict[str, Any]:
    layers = len(attention_modules(base))
    return {"model_type": base.config.model_type, "layers": layers, **_sizes(base)}
