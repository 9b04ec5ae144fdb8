"""How the mechanism's bias reaches the attention scores: through the mask that the encoder adds anyway.

A forward call of the model creates a ``Call`` and passes it down as a keyword argument, which Hugging Face encoders
hand from module to module; each self-attention removes it and adds its bias to the mask it receives. Nothing is stored
on the model during a call, so it is thread-safe, and layers can be recomputed for gradient checkpointing.
"""

import inspect
import threading
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.utils.generic import ModelOutput

from boolattn.attention import BoolAttention, Context, Overrides
from boolattn.attention.folded_weights import capturing
from boolattn.backbones.attach.backbones import require_additive_attention
from boolattn.backbones.attach.overrides import overrides_from, require_shapes

KEYWORD = "boolattn"
OVERRIDES = ("operators", "cues", "scopes", "strength")
LEARNED = "learned"  # operators="learned": the learned gate decides

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass
class Call:
    """One forward call of the model, passed down to the layers."""

    overrides: Overrides
    padding: Tensor | None = None  # (B, L), from the caller
    trace: bool = False
    context: Context | None = None


class ModelHook:
    """On the model: removes BoolAttn's keywords from the call, and returns the trace."""

    def __init__(
        self, mechanism: BoolAttention, model: PreTrainedModel, handover: "Handover | None", on_request: bool
    ) -> None:
        """Find the position of the mask in the model's forward call."""
        self.mechanism, self.handover, self.on_request = mechanism, handover, on_request
        self.padding = list(inspect.signature(model.forward).parameters).index("attention_mask")

    def before(self, model: PreTrainedModel, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
        """Start a call, unless no gate can open."""
        trace = kwargs.pop("trace", False)
        given = {name: kwargs.pop(name, None) for name in OVERRIDES}
        asked = isinstance(given["operators"], str) and given["operators"] == LEARNED
        if asked:
            given["operators"] = None
        if given["operators"] is None and (self.mechanism.gate is None or (self.on_request and not asked)):
            if asked or trace or any(value is not None for value in given.values()):
                raise ValueError("no gate can open: pass operators=, or attach with gate='learned'")
            return args, kwargs
        require_additive_attention(model)
        padding = args[self.padding] if len(args) > self.padding else kwargs.get("attention_mask")
        if padding is not None and padding.dim() != 2:
            raise ValueError(f"attention_mask must be (batch, tokens), to mark padding, not {tuple(padding.shape)}")
        known = overrides_from(self.mechanism.config, **given)
        if not trace and known.all_closed:
            return args, kwargs
        call = Call(known, padding, trace)
        if self.handover is not None:
            self.handover.put(call)
            return args, kwargs
        return args, kwargs | {KEYWORD: call}

    def after(self, model: PreTrainedModel, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        """Finish the call."""
        call = kwargs.get(KEYWORD) if self.handover is None else self.handover.take()
        if call is not None and call.trace and output is not None:
            if not isinstance(output, ModelOutput):
                raise ValueError("trace=True needs a model output object: do not combine it with return_dict=False")
            output.boolattn = call.context.trace if call.context is not None else None


class Handover:
    """On the encoder of a model that drops keywords: passes the call on, separately for each thread."""

    def __init__(self) -> None:
        """Start empty."""
        self.threads = threading.local()
        self.captured: Call | None = None  # torch.compile cannot read thread-local storage

    def __reduce__(self) -> tuple[type["Handover"], tuple[()]]:
        """Give a copied or pickled model its own empty handover."""
        return Handover, ()

    def put(self, call: Call | None) -> None:
        """Store a call for the encoder."""
        if capturing():
            self.captured = call
        else:
            self.threads.call = call

    def take(self) -> Call | None:
        """Remove the call."""
        call = self.waiting()
        self.put(None)
        return call

    def waiting(self) -> Call | None:
        """Return the stored call, if any."""
        return self.captured if capturing() else getattr(self.threads, "call", None)

    def before(self, encoder: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """Pass the call down, if there is one."""
        call = self.waiting()
        return args, kwargs if call is None else kwargs | {KEYWORD: call}


class LayerHook:
    """On a self-attention, whose first two arguments are its states and mask: adds S_Boolean to the mask."""

    def __init__(self, mechanism: BoolAttention, layer: int) -> None:
        """Add the bias of one layer."""
        self.mechanism, self.layer = mechanism, layer

    def before(self, attention: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
        """Replace the mask; change nothing if no gate is open."""
        call: Call | None = kwargs.pop(KEYWORD, None)
        if call is None:
            return args, kwargs
        states = args[0] if args else kwargs["hidden_states"]
        if self.layer == 0:
            require_shapes(call.overrides, states.shape[0], states.shape[1], len(self.mechanism.config.operators))
            padding = states.new_ones(states.shape[:2]) if call.padding is None else call.padding
            call.context = self.mechanism.begin(states, padding, call.overrides, call.trace)
        assert call.context is not None
        if call.context.closed:
            return args, kwargs
        bias = self.mechanism.bias(self.layer, states, call.context).matrix()
        if len(args) > 1:
            return (args[0], add_bias(args[1], bias), *args[2:]), kwargs
        return args, kwargs | {"attention_mask": add_bias(kwargs.get("attention_mask"), bias)}


def add_bias(mask: Tensor | None, bias: Tensor) -> Tensor:
    """Add S_Boolean to a mask in any form that encoders use: none, boolean (True: attend) or additive."""
    if mask is None:
        return bias
    if mask.dtype == torch.bool:
        return torch.where(mask, bias, torch.finfo(bias.dtype).min)
    return mask + bias
