"""Encoding queries that exclude something: what is wanted under the bias of *not*, what is not wanted by itself."""

from collections.abc import Callable, Collection
from typing import NamedTuple

import torch
from torch import Tensor
from transformers import PreTrainedModel

from boolattn.encoders.readers.token_reading import TokenReading
from boolattn.encoders.vectors.signed_pooling import UNWANTED, UNWANTED_STATES, WANTED


class Sides(NamedTuple):
    """The two sides of R queries, as the readout takes them."""

    states: Tensor  # (R, L, d), of all tokens, hardly heeding the unwanted ones
    wanted: Tensor  # (R, L): which of these count
    unwanted_states: Tensor | None  # (R, L, d), of the unwanted tokens on their own; None where they are those above
    unwanted: Tensor  # (R, L): which of these count


def encode_excluding(
    encoder: PreTrainedModel,
    inputs: dict[str, Tensor],
    found: TokenReading,
    encode_sides: Callable[[dict[str, Tensor], TokenReading], Sides],
) -> dict[str, Tensor]:
    """Encode a batch, of which some queries exclude something, and return the features of the readout.

    The other queries keep the states of the bare encoder in this very batch, to the bit.

    Args:
        encoder: With BoolAttn attached, *not* its one operator.
        inputs: What the tokenizer made of the queries, (B, L) each.
        found: The reading, K = 1; gates are open for those that exclude something.
        encode_sides: Encodes those queries that exclude something: ``encode_sentence`` or ``encode_both_sides``.
    """
    rows = found.gates[:, 0].to(inputs["attention_mask"].device) > 0  # (B,)
    shape = (*inputs["attention_mask"].shape, encoder.config.hidden_size)
    # The whole batch, not just the rows that are kept: the last digits depend on how many are encoded together.
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
    """Encode R queries, each of which excludes something, *not* taking ``strength`` from attention to cue and scope."""
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
    """Encode R queries, each of which excludes something, and what they exclude.

    In its sentence, "war" in "films about Vietnam, but not about war" takes on much of Vietnam; what the query's
    vector is to be moved away from is war alone. So the same call encodes both sides: the sentence, *not* taking
    ``strength`` from the attention that cue and scope get, and the scope with all else masked.

    Args:
        encoder: With BoolAttn attached, *not* its one operator.
        inputs: What the tokenizer made of the queries, (R, L) each.
        found: The reading, K = 1, gates open.
        strength: The bias.
        special: The numbers of the tokenizer's special tokens, which belong to either side; not that of unknown words.
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
