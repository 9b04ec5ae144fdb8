"""What a query says, token by token: the reading of its characters, in the tensors the mechanism takes."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from boolattn.queries.spans import Span, token_labels
from boolattn.queries.understanding import Excluded

Offsets = Sequence[Sequence[tuple[int, int]]]


class TokenReading(NamedTuple):
    """Which operators each query holds, which tokens say them, and which tokens they speak of."""

    gates: Tensor  # (B, K)
    cues: Tensor  # (B, L, K)
    scopes: Tensor  # (B, L, K)

    def covered(self) -> Tensor:
        """Return the tokens of cue or scope (B, L, K): *not* takes attention away from both."""
        return torch.maximum(self.cues, self.scopes)


def exclusion_reading(excluded: Sequence[Excluded], offsets: Offsets) -> TokenReading:
    """Put exclusions of characters onto tokens, *not* being the one operator; no token in scope, no open gate.

    Args:
        excluded: What each query excludes.
        offsets: For each query, the characters of each token; (0, 0) for special tokens and padding.
    """
    cues = _labels([each.cues for each in excluded], offsets)
    scopes = _labels([each.scopes for each in excluded], offsets)
    return TokenReading(scopes.amax(dim=1), cues, scopes)


def in_text(text: str, offsets: Sequence[Sequence[int]], start: int = 0) -> list[tuple[int, int]]:
    """Return the characters of each token, counted from ``start``, where the query begins; (0, 0) for what is before.

    Some tokenizers count the space before a word to the word; it says nothing, and may belong to a neighbour.
    """
    found = []
    for first, last in offsets:
        first += len(text[first:last]) - len(text[first:last].lstrip())
        found.append((max(first - start, 0), max(last - start, 0)))
    return found


def _labels(spans: Sequence[Sequence[Span]], offsets: Offsets) -> Tensor:
    """Return (B, L, 1): 1 where a token shares a character with one of its query's spans."""
    rows = [token_labels(row, chosen) for row, chosen in zip(offsets, spans, strict=True)]
    return torch.tensor(rows, dtype=torch.float).unsqueeze(-1)
