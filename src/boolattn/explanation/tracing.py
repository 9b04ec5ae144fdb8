"""Explain a query with an attached encoder."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor
from transformers import BatchEncoding, PreTrainedModel

from boolattn.attention.context import Trace
from boolattn.backbones.attach.plugin import mechanism_of
from boolattn.explanation.explained_query import Array
from boolattn.explanation.html import Explanation
from boolattn.reading.plan import BooleanPlan, Source
from boolattn.reading.reading import Reading
from boolattn.reading.spans import Span, token_labels


class Received(NamedTuple):
    """The share of attention that each token receives, mean over heads and attending tokens."""

    before: Array  # (layers, L), every gate closed
    after: Array  # (layers, L)
    trace: Trace


def explain_tokens(
    model: PreTrainedModel,
    query: str,
    encoding: BatchEncoding,
    *,
    source: Source,
    reading: Reading,
    plan: BooleanPlan,
    readout: ArrayLike,
    prompt: str = "",
    **overrides: Any,
) -> Explanation:
    """Run the encoder on a query with and without the operators, and return what changed.

    Args:
        model: A Hugging Face encoder with BoolAttn attached, in evaluation mode.
        query: The text.
        encoding: The output of a fast tokenizer, as tensors: ``tokenizer(prompt + query, return_tensors="pt")``.
        source: Where the operators, cues and scopes come from.
        reading: The whole reading.
        plan: What is acted on.
        readout: (L,) the weight of each token in the query's vector.
        prompt: Text before the query. Its tokens count as special tokens.
        overrides: ``operators``, ``cues``, ``scopes`` and ``strength``, as in the model's forward call.
    """
    if not encoding.encodings:
        raise ValueError("this tokenizer has no token offsets: load a fast one (use_fast=True)")
    names, offsets = encoding.encodings[0].tokens, encoding.encodings[0].offsets
    spans = tuple(_in_query(query, start - len(prompt), end - len(prompt)) for start, end in offsets)
    before, after, trace = attention_received(model, encoding, **overrides)
    shape = (*before.shape, len(trace.operators))
    scopes, sizes = _mean_over_heads(trace.scopes, shape), _mean_over_heads(_sizes(trace), shape)
    signs = np.array(mechanism_of(model).config.signs)
    gates = _numbers(trace.gates[0])
    return Explanation(
        query=query,
        tokens=tuple(span.of(query) or name for span, name in zip(spans, names, strict=True)),
        spans=spans,
        operators=trace.operators,
        source=source,
        reading=reading,
        plan=plan,
        gates=gates,
        cues=_shown_cues(trace, gates, overrides, reading, spans),
        scopes=scopes,
        biases=signs * gates * sizes,
        attention_before=before,
        attention_after=after,
        readout=np.asarray(readout, dtype=np.float64),
    )


def _shown_cues(
    trace: Trace, gates: Array, overrides: Mapping[str, Any], reading: Reading, spans: Sequence[Span]
) -> Array:
    """Return the cues (L, K) that were acted on, or only read; other predictions had no effect and are 0."""
    used = overrides.get("cues") is not None or overrides.get("scopes") is None or overrides.get("strength") is None
    acted_on = _numbers(trace.cues[0]) if used else np.zeros((len(spans), len(trace.operators)))
    read = np.array([token_labels(spans, reading.cues[name]) for name in trace.operators], dtype=np.float64).T
    return np.where(gates > 0, acted_on, read)


def attention_received(model: PreTrainedModel, inputs: Mapping[str, Tensor], **overrides: Any) -> Received:
    """Return how much attention each token of one query receives, without and with the operators.

    The model itself is not changed, so other threads may use it at the same time.

    Args:
        model: An encoder with BoolAttn attached, in evaluation mode.
        inputs: One query, without padding.
        overrides: ``operators``, ``cues``, ``scopes`` and ``strength``, as in the model's forward call.
    """
    mechanism_of(model)
    if model.training:
        raise ValueError("dropout makes attention random in training mode: call model.eval() first")
    shape, mask = tuple(inputs["input_ids"].shape), inputs.get("attention_mask")
    if shape[0] != 1 or (mask is not None and not bool(mask.all())):
        raise ValueError(f"pass one query at a time, without padding, not input_ids of shape {shape}")
    with torch.inference_mode():
        showing = _showing_attention(model)
        bare = showing(**inputs, operators=[[]], output_attentions=True)
        boolean = showing(**inputs, **overrides, output_attentions=True, trace=True)
    return Received(_received(bare.attentions), _received(boolean.attentions), boolean.boolattn)


def _showing_attention(model: PreTrainedModel) -> PreTrainedModel:
    """Return a copy with eager attention, the only implementation that returns attention weights.

    It shares all weights with the model and copies only modules and settings: changing the model itself would affect
    other threads that use it.
    """
    weights: dict[int, Any] = {id(each): each for each in chain(model.parameters(), model.buffers())}
    showing = deepcopy(model, weights)
    showing.set_attn_implementation("eager")
    return showing


def _received(attentions: tuple[Tensor, ...]) -> Array:
    return _numbers(torch.stack([weights.float().mean((0, 1, 2)) for weights in attentions]))  # (1, h, L, L) -> (L,)


def _sizes(trace: Trace) -> list[Tensor]:
    return [scopes * biases for scopes, biases in zip(trace.scopes, trace.biases, strict=True)]


def _mean_over_heads(layers: list[Tensor], shape: tuple[int, ...]) -> Array:
    if not layers:  # no gate was open
        return np.zeros(shape)
    return _numbers(torch.stack([layer[0].float().mean(1) for layer in layers]))  # (1, L, h, K) -> (L, K)


def _numbers(tensor: Tensor) -> Array:
    return tensor.detach().double().cpu().numpy()


def _in_query(query: str, start: int, end: int) -> Span:
    """Return a token's span, without the leading space that some tokenizers include."""
    text = query[max(start, 0) : max(end, 0)]
    return Span(end - len(text.lstrip()), end) if text.strip() else Span(0, 0)
