"""An attached encoder and a query -> an explanation."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor
from transformers import BatchEncoding, PreTrainedModel

from boolattn.attention.context import Trace
from boolattn.encoders.attach.plugin import mechanism_of
from boolattn.explanation.explained_query import Array
from boolattn.explanation.explanation import Explanation
from boolattn.operators import OPERATORS
from boolattn.reading.plan import BooleanPlan, Source
from boolattn.reading.reading import Reading
from boolattn.reading.spans import Span


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
    """Run the encoder on a query with and without the operators, and tell what was different.

    Args:
        model: A Hugging Face encoder with BoolAttn attached, in evaluation mode.
        query: The text.
        encoding: What a fast tokenizer makes of it, as tensors: ``tokenizer(prompt + query, return_tensors="pt")``.
        source: Where the operators, cues and scopes come from.
        reading: All that was understood of the query.
        plan: What is acted on.
        readout: (L,) the weight of each token in the query's vector.
        prompt: What stands before the query. Its tokens count with the encoder's own.
        overrides: ``operators``, ``cues``, ``scopes`` and ``strength`` as the model's forward call takes them.
    """
    if not encoding.encodings:
        raise ValueError("this tokenizer does not tell where each token stands: load a fast one (use_fast=True)")
    names, offsets = encoding.encodings[0].tokens, encoding.encodings[0].offsets
    spans = tuple(_in_query(query, start - len(prompt), end - len(prompt)) for start, end in offsets)
    before, after, trace = attention_received(model, encoding, **overrides)
    # Cues that nobody gave and nothing used are the guess of a predictor that had no part in this.
    used = overrides.get("cues") is not None or overrides.get("scopes") is None or overrides.get("strength") is None
    shape = (*before.shape, len(trace.operators))
    scopes, sizes = _mean_over_heads(trace.scopes, shape), _mean_over_heads(_sizes(trace), shape)
    signs = np.array([float(OPERATORS[name].sign) for name in trace.operators])
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
        cues=_numbers(trace.cues[0]) if used else np.zeros(shape[1:]),
        scopes=scopes,
        biases=signs * gates * sizes,
        attention_before=before,
        attention_after=after,
        readout=np.asarray(readout, dtype=np.float64),
    )


def attention_received(model: PreTrainedModel, inputs: Mapping[str, Tensor], **overrides: Any) -> Received:
    """Tell how much attention each token of one query receives, without and with the operators.

    Other threads should leave the model alone meanwhile: its attention implementation is changed and changed back.

    Args:
        model: An encoder with BoolAttn attached, in evaluation mode.
        inputs: One query, without padding.
        overrides: ``operators``, ``cues``, ``scopes`` and ``strength`` as the model's forward call takes them.
    """
    mechanism_of(model)
    if model.training:
        raise ValueError("an encoder in training drops attention at random: model.eval() first")
    shape, mask = tuple(inputs["input_ids"].shape), inputs.get("attention_mask")
    if shape[0] != 1 or (mask is not None and not bool(mask.all())):
        raise ValueError(f"one query at a time, without padding, not input_ids of shape {shape}")
    with torch.inference_mode(), _eager(model):
        bare = model(**inputs, operators=[[]], output_attentions=True)
        boolean = model(**inputs, **overrides, output_attentions=True, trace=True)
    return Received(_received(bare.attentions), _received(boolean.attentions), boolean.boolattn)


@contextmanager
def _eager(model: PreTrainedModel) -> Iterator[None]:
    """Compute attention in the one way that shows its weights."""
    usual = model.config._attn_implementation
    model.set_attn_implementation("eager")
    try:
        yield
    finally:
        model.set_attn_implementation(usual)


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
    """Return where a token stands, without the space before it that some tokenizers count to the word."""
    text = query[max(start, 0) : max(end, 0)]
    return Span(end - len(text.lstrip()), end) if text.strip() else Span(0, 0)
