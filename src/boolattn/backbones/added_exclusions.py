"""Exclusions whose words are not in the query: encoded by themselves, and subtracted; and weights of exclusions."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

import torch
from sentence_transformers.base.modules import Transformer
from torch import Tensor

from boolattn.backbones.signed_pooling import UNWANTED, UNWANTED_STATES, WANTED, WEIGHTS
from boolattn.backbones.token_reading import Offsets, with_offsets
from boolattn.reading.reading import Exclusion, Reading
from boolattn.reading.spans import Span

ADDED = "boolean_added_"  # before the names of the encoder's inputs
ADDED_WEIGHTS = ADDED + WEIGHTS  # (B, L'): 0 for tokens that are no words


def added_inputs(transformer: Transformer, readings: Sequence[Reading | None]) -> dict[str, Any]:
    """Tokenise what the queries exclude although it is not in them, one text per query; empty if there is none."""
    rows = [[each for each in (reading.exclusions if reading else ()) if each.span is None] for reading in readings]
    if not any(rows):
        return {}
    inputs, offsets = with_offsets(transformer, [" ".join(each.text for each in row) for row in rows])
    weights = [_weights(_placed(row), tokens, 0.0) for row, tokens in zip(rows, offsets, strict=True)]
    return {ADDED + name: value for name, value in inputs.items()} | {ADDED_WEIGHTS: torch.tensor(weights)}


def weights_in_query(readings: Sequence[Reading], offsets: Offsets) -> dict[str, Tensor]:
    """Return the weights of the queries' own tokens; empty if all are 1."""
    if all(each.weight == 1 for reading in readings for each in reading.exclusions):
        return {}
    rows = [[(each.span, each.weight) for each in reading.exclusions if each.span] for reading in readings]
    return {WEIGHTS: torch.tensor([_weights(*pair, 1.0) for pair in zip(rows, offsets, strict=True)])}


def with_added_states(transformer: Transformer, features: dict[str, Any]) -> dict[str, Any]:
    """Encode the texts of ``added_inputs`` by themselves, and put their tokens after the queries', as unwanted ones."""
    if ADDED_WEIGHTS not in features:
        return features
    tokenizer: Any = transformer.tokenizer
    inputs = {name: features[ADDED + name] for name in tokenizer.model_input_names if ADDED + name in features}
    added, mask = transformer.auto_model(**inputs).last_hidden_state, features["attention_mask"]
    states, weights = features["token_embeddings"], features[ADDED_WEIGHTS]
    own = features.get(UNWANTED, torch.zeros_like(mask))
    return features | {
        WANTED: features.get(WANTED, mask),
        UNWANTED: torch.cat([own, (weights > 0).to(own)], dim=1),
        UNWANTED_STATES: torch.cat([features.get(UNWANTED_STATES, states), added.to(states)], dim=1),
        WEIGHTS: torch.cat([features.get(WEIGHTS, torch.ones_like(mask)).to(weights), weights], dim=1),
    }


def _placed(exclusions: Sequence[Exclusion]) -> list[tuple[Span, float]]:
    """Return the place of each exclusion in the text of all, and its weight."""
    ends = accumulate(exclusions, lambda end, each: end + 1 + len(each.text), initial=-1)
    return [(Span(end + 1, end + 1 + len(each.text)), each.weight) for end, each in zip(ends, exclusions, strict=False)]


def _weights(placed: Iterable[tuple[Span, float]], tokens: Iterable[tuple[int, int]], otherwise: float) -> list[float]:
    """Return the weight of each token, by its character offsets."""
    spans = list(placed)
    return [
        max((weight for span, weight in spans if span.overlaps(Span(*token))), default=otherwise) for token in tokens
    ]
