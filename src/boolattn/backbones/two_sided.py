"""Encode queries with exclusions: the wanted side with the bias of *not*, the unwanted side separately."""

from collections.abc import Callable, Collection
from typing import NamedTuple

import torch
from torch import Tensor
from transformers import PreTrainedModel

from boolattn.backbones.signed_pooling import UNWANTED, UNWANTED_STATES, WANTED
from boolattn.backbones.token_reading import TokenReading


class Sides(NamedTuple):
    """The two sides of R queries, for the readout."""

    states: Tensor  # (R, L, d), of all tokens, with little attention to unwanted ones
    wanted: Tensor  # (R, L): the weight of each
    unwanted_states: Tensor | None  # (R, L, d), encoded separately; None if the same as above
    unwanted: Tensor  # (R, L): the weight of each


def encode_excluding(
    encoder: PreTrainedModel,
    inputs: dict[str, Tensor],
    found: TokenReading,
    encode_sides: Callable[[dict[str, Tensor], TokenReading], Sides],
) -> dict[str, Tensor]:
    """Encode a batch in which some queries exclude something, and return the readout's features.

    The other queries keep the bare encoder's states in the same batch, bit for bit.

    Args:
        encoder: The encoder, with BoolAttn attached and *not* as its only operator.
        inputs: The tokenised queries, (B, L) each.
        found: The reading, K = 1; gates are open for queries that exclude something.
        encode_sides: Encodes the queries that exclude something: ``encode_sentence`` or ``encode_both_sides``.
    """
    rows = found.gates[:, 0].to(inputs["attention_mask"].device) > 0  # (B,)
    shape = (*inputs["attention_mask"].shape, encoder.config.hidden_size)
    # The whole batch, not just the rows to keep: the last digits depend on the batch.
    states = torch.zeros(shape, dtype=encoder.dtype, device=encoder.device)
    if not bool(rows.all()):
        states = encoder(**inputs).last_hidden_state
    if not bool(rows.any()):
        return {"token_embeddings": states}
    chosen = {name: value[rows] for name, value in inputs.items()}
    read = TokenReading(*(each.to(rows.device)[rows] for each in found))
    sides = encode_sides(chosen, read)
    mask = inputs["attention_mask"].to(sides.wanted)
    features = {
        "token_embeddings": _put(states, rows, sides.states),
        WANTED: _put(mask, rows, sides.wanted),
        UNWANTED: _put(torch.zeros_like(mask), rows, sides.unwanted),
    }
    if sides.unwanted_states is not None:
        features[UNWANTED_STATES] = _put(torch.zeros_like(states), rows, sides.unwanted_states)
    return features


def encode_sentence(encoder: PreTrainedModel, inputs: dict[str, Tensor], found: TokenReading, strength: float) -> Sides:
    """Encode R queries, each with an exclusion; *not* subtracts ``strength`` from attention to cue and scope."""
    output = encoder(**inputs, operators=found.gates, scopes=found.covered(), strength=strength)
    cue, scope = found.cues[..., 0], found.scopes[..., 0]  # (R, L)
    mask = inputs["attention_mask"]
    return Sides(output.last_hidden_state, mask * (1 - cue) * (1 - scope), None, mask * scope)


def encode_both_sides(
    encoder: PreTrainedModel,
    inputs: dict[str, Tensor],
    found: TokenReading,
    strength: float,
    special: Collection[int],
) -> Sides:
    """Encode R queries, each with an exclusion, and separately the excluded words.

    Within "films about Vietnam, but not about war", the states of "war" absorb much of Vietnam, but the query's vector
    should move away from war alone. So one call encodes both sides: the sentence, with *not* subtracting
    ``strength`` from attention to cue and scope, and the scope with everything else masked.

    Args:
        encoder: The encoder, with BoolAttn attached and *not* as its only operator.
        inputs: The tokenised queries, (R, L) each.
        found: The reading, K = 1, gates open.
        strength: The bias.
        special: IDs of the tokenizer's special tokens, which belong to both sides; without the unknown token.
    """
    mask = inputs["attention_mask"]
    cue, scope = found.cues[..., 0].to(mask.device), found.scopes[..., 0].to(mask.device)  # (R, L)
    own = torch.isin(inputs["input_ids"], torch.tensor(sorted(special), device=mask.device)) * mask
    scope = scope * mask * (1 - own)
    alone = torch.maximum(scope, own)
    covered = found.covered().to(mask.device)
    output = encoder(
        **{name: torch.cat([value, value]) for name, value in inputs.items() if name != "attention_mask"},
        attention_mask=torch.cat([mask, alone.to(mask.dtype)]),
        operators=torch.cat([found.gates, torch.zeros_like(found.gates)]).to(mask.device),
        scopes=torch.cat([covered, torch.zeros_like(covered)]),
        strength=strength,
    )
    states, unwanted_states = output.last_hidden_state.chunk(2)
    return Sides(states, mask * (1 - cue) * (1 - scope), unwanted_states, scope)


def _put(values: Tensor, rows: Tensor, new: Tensor) -> Tensor:
    """Return the values with some rows replaced."""
    return values.index_put((rows.nonzero()[:, 0],), new.to(values.dtype))
