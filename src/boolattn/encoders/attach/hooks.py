"""How the mechanism's bias reaches the attention scores: through the mask the encoder already adds.

The call of the model opens a ``Call`` and sends it down as a keyword argument, which Hugging Face encoders pass from
module to module; each self-attention takes it out again and adds its bias to the mask it was handed. Nothing is kept
on the model during a call, so threads do not meet, and a layer can be computed again for gradient checkpointing.
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
from boolattn.encoders.attach.backbones import require_additive_attention
from boolattn.encoders.attach.overrides import overrides_from, require_shapes

KEYWORD = "boolattn"
OVERRIDES = ("operators", "cues", "scopes", "strength")

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass
class Call:
    """One forward call of the model, on its way down."""

    overrides: Overrides
    padding: Tensor | None = None  # (B, L) as the caller gave it
    trace: bool = False
    context: Context | None = None


class ModelHook:
    """On the model: takes our keywords from the caller, gives the trace back."""

    def __init__(self, mechanism: BoolAttention, model: PreTrainedModel, handover: "Handover | None") -> None:
        """Note where the model's forward call has its mask."""
        self.mechanism, self.handover = mechanism, handover
        self.padding = list(inspect.signature(model.forward).parameters).index("attention_mask")

    def before(self, model: PreTrainedModel, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
        """Open a call, unless no gate can open."""
        trace = kwargs.pop("trace", False)
        given = {name: kwargs.pop(name, None) for name in OVERRIDES}
        if given["operators"] is None and self.mechanism.gate is None:
            if trace or any(value is not None for value in given.values()):
                raise ValueError("no gate can open: pass operators=, or attach with gate='learned'")
            return args, kwargs
        require_additive_attention(model)
        padding = args[self.padding] if len(args) > self.padding else kwargs.get("attention_mask")
        if padding is not None and padding.dim() != 2:
            raise ValueError(f"attention_mask must be (batch, tokens) to tell padding, not {tuple(padding.shape)}")
        known = overrides_from(self.mechanism.config, **given)
        if not trace and known.all_closed:
            return args, kwargs
        call = Call(known, padding, trace)
        if self.handover is not None:
            self.handover.put(call)
            return args, kwargs
        return args, kwargs | {KEYWORD: call}

    def after(self, model: PreTrainedModel, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        """Close the call."""
        call = kwargs.get(KEYWORD) if self.handover is None else self.handover.take()
        if call is not None and call.trace and output is not None:
            if not isinstance(output, ModelOutput):
                raise ValueError("trace=True needs a model output to ride on: do not pass return_dict=False with it")
            output.boolattn = call.context.trace if call.context is not None else None


class Handover:
    """On the encoder of a model that passes no keywords on: bridges the gap, for each thread its own call."""

    def __init__(self) -> None:
        """Start empty."""
        self.threads = threading.local()
        self.captured: Call | None = None  # torch.compile cannot look into a thread's own storage

    def __reduce__(self) -> tuple[type["Handover"], tuple[()]]:
        """A copied or pickled model hands over calls of its own."""
        return Handover, ()

    def put(self, call: Call | None) -> None:
        """Leave a call for the encoder."""
        if capturing():
            self.captured = call
        else:
            self.threads.call = call

    def take(self) -> Call | None:
        """Take the call back."""
        call = self.waiting()
        self.put(None)
        return call

    def waiting(self) -> Call | None:
        """Return the call that was left, if any."""
        return self.captured if capturing() else getattr(self.threads, "call", None)

    def before(self, encoder: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """Send the call down, if there is one."""
        call = self.waiting()
        return args, kwargs if call is None else kwargs | {KEYWORD: call}


class LayerHook:
    """On a self-attention, whose first two arguments are its states and its mask: adds S_Boolean to the mask."""

    def __init__(self, mechanism: BoolAttention, layer: int) -> None:
        """Serve one layer."""
        self.mechanism, self.layer = mechanism, layer

    def before(self, attention: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
        """Replace the mask, or leave everything as it is where no gate is open."""
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
    """Add S_Boolean to a mask in any of the forms encoders use: none, boolean (True: attend) or additive."""
    if mask is None:
        return bias
    if mask.dtype == torch.bool:
        return torch.where(mask, bias, torch.finfo(bias.dtype).min)
    return mask + bias
