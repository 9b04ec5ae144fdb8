"""Readers that say what they are told: in the place of a learned one."""

from collections.abc import Collection

import torch
from torch import Tensor, nn

from boolattn.encoders.reader import K, ReadingLogits

SURE = 10.0  # a logit


class ReadsHints(nn.Module):
    """Repeats what the rules say of each query of a batch."""

    def forward(self, states, mask: Tensor, hints: Tensor) -> ReadingLogits:
        cues, scopes, gates = (SURE * (2 * hints - 1)).chunk(3, dim=-1)
        return ReadingLogits(gates[:, 0], cues, scopes)


class Marks(nn.Module):
    """Says of every query that it holds *not*, and marks the same tokens in each."""

    def __init__(self, cues: Collection[int], scopes: Collection[int], gate: float = SURE) -> None:
        super().__init__()
        self.cues, self.scopes, self.gate = list(cues), list(scopes), gate

    def forward(self, states, mask: Tensor, hints: Tensor) -> ReadingLogits:
        gates = torch.full((len(mask), K), -SURE)
        cues, scopes = torch.full((*mask.shape, K), -SURE), torch.full((*mask.shape, K), -SURE)
        gates[:, 2], cues[:, self.cues, 2], scopes[:, self.scopes, 2] = self.gate, SURE, SURE
        return ReadingLogits(gates, cues, scopes)
