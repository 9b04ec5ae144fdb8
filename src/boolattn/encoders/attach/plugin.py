"""attach, detach, save, load: BoolAttn as a reversible plug-in."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.utils.hooks import RemovableHandle
from transformers import PreTrainedModel

from boolattn.attention import BoolAttention, BoolAttnConfig
from boolattn.encoders.attach.backbones import attention_modules, backbone_of, require_additive_attention
from boolattn.encoders.attach.hooks import KEYWORD, Handover, LayerHook, ModelHook

WEIGHTS_FILE = "boolattn.safetensors"
CONFIG_FILE = "boolattn.json"

Model = TypeVar("Model", bound=PreTrainedModel)


def attach(model: Model, config: BoolAttnConfig | None = None) -> Model:
    """Put BoolAttn into an encoder, in place, and return it.

    From then on the model's forward call also takes

    - ``operators=``: for each query, the operators it holds, such as ``[["not"], []]``, or gates (B, K);
    - ``cues=`` (B, L, K), ``scopes=`` (B, L, K), ``strength=``: known answers, used instead of predictions;
    - ``trace=True``: the encoder's output then has ``output.boolattn``, a ``Trace`` of what the mechanism did.

    Without operators (or with ``gate="learned"`` finding none) the output is bit-identical to the backbone's. A learned
    gate reads whatever it is given: for documents, close it with ``operators=[[]] * batch``.

    Save with ``save_adapter``; ``model.save_pretrained`` goes on saving the backbone alone.

    Args:
        model: A Hugging Face encoder of a known family, alone or under a head (a trace then needs the encoder itself,
            ``model.base_model``). Of a sentence-transformers model, the Hugging Face model inside it.
        config: The mechanism's settings; the paper's by default.

    Example:
        >>> model = attach(AutoModel.from_pretrained(name))  # doctest: +SKIP
        >>> model(**tokens, operators=[["not"]])  # doctest: +SKIP
    """
    base = base_of(model)
    if hasattr(base, KEYWORD):
        raise ValueError("the model has BoolAttn already; detach(model) first")
    attentions = attention_modules(base)
    require_additive_attention(base)
    encoder = backbone_of(base).encoder
    if encoder is not None and model is not base:
        raise ValueError(
            f"heads of {base.config.model_type!r} models drop the keywords of the forward call, operators= among them: "
            "attach to the encoder under the head (model.base_model) and call that"
        )
    if getattr(base.config, "is_decoder", False):
        raise ValueError("BoolAttn reads whole queries; a model with is_decoder=True sees only what came before")
    with torch.inference_mode(False):
        mechanism = BoolAttention(config or BoolAttnConfig(), layers=len(attentions), **_sizes(base))
        some_weight = next(base.parameters())
        mechanism.to(device=some_weight.device, dtype=some_weight.dtype).train(base.training)

    handover = Handover() if encoder is not None else None
    model_hook = ModelHook(mechanism, base, handover)
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
    """Take BoolAttn out again, in place: the backbone is what it was before ``attach``."""
    mechanism = mechanism_of(model)
    handles: list[RemovableHandle] = mechanism.handles  # type: ignore[assignment]
    for handle in handles:
        handle.remove()
    delattr(base_of(model), KEYWORD)
    return model


def mechanism_of(model: PreTrainedModel) -> BoolAttention:
    """Return the BoolAttn module of a model it was attached to."""
    mechanism = getattr(base_of(model), KEYWORD, None)
    if not isinstance(mechanism, BoolAttention):
        raise ValueError("the model has no BoolAttn; attach(model) first")
    return mechanism


def save_adapter(model: PreTrainedModel, folder: str | Path) -> None:
    """Write the adapter, and nothing of the backbone: ``boolattn.safetensors`` and ``boolattn.json``."""
    mechanism, folder = mechanism_of(model), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    weights = halved(mechanism.state_dict())
    save_file({name: value.contiguous() for name, value in weights.items()}, folder / WEIGHTS_FILE)
    settings = {"backbone": _shape(base_of(model)), "config": mechanism.config.to_dict()}
    (folder / CONFIG_FILE).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def load_adapter(model: Model, folder: str | Path) -> Model:
    """Attach an adapter that ``save_adapter`` wrote. Reads JSON and safetensors; nothing in them is executed."""
    folder = Path(folder)
    settings = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))
    ours, theirs = _shape(base_of(model)), settings["backbone"]
    if ours != theirs:
        raise ValueError(f"the adapter in {folder} is for {theirs}, this model is {ours}")
    config = BoolAttnConfig.from_dict(settings["config"])
    weights = load_file(folder / WEIGHTS_FILE)
    attach(model, config)
    try:
        mechanism_of(model).load_state_dict(weights)
    except RuntimeError:
        detach(model)
        raise
    return model


def base_of(model: PreTrainedModel) -> PreTrainedModel:
    """Return the encoder itself, which may stand under a head."""
    return cast(PreTrainedModel, model.base_model)


def halved(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return weights in half precision where that changes none, as in those rounded to be shipped."""
    both = {name: (value, value.half()) for name, value in weights.items()}
    return {name: half if torch.equal(half.to(full), full) else full for name, (full, half) in both.items()}


def _hide_from_saving(model: PreTrainedModel) -> None:
    """Let ``save_pretrained`` of the encoder, and of a head over it, write the backbone alone."""
    for each in (model, base_of(model)):
        ours = {name for name in each.state_dict() if KEYWORD in name.split(".")}
        each._keys_to_ignore_on_save = {*(each._keys_to_ignore_on_save or ()), *ours}


def _sizes(base: PreTrainedModel) -> dict[str, int]:
    return {"hidden_size": base.config.hidden_size, "heads": base.config.num_attention_heads}


def _shape(base: PreTrainedModel) -> dict[str, Any]:
    layers = len(attention_modules(base))
    return {"model_type": base.config.model_type, "layers": layers, **_sizes(base)}
