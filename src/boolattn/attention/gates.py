"""Section 2.4 and appendix C: which operators a query contains."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from boolattn.attention.config import BoolAttnConfig
from boolattn.attention.relaxations import straight_through


class Gates(NamedTuple):
    """G, and its logits if it was predicted."""

    values: Tensor  # (B, K), exactly 0 or 1
    logits: Tensor | None  # (B, K)


class Gate(Protocol):
    """Decides which operators the queries of a batch contain."""

    def __call__(self, states: Tensor, mask: Tensor) -> Gates:
        """Return gates from the first layer's input (B, L, d) and the mask of real tokens (B, L)."""
        ...


@dataclass(frozen=True)
class GivenGate:
    """G as an auxiliary label (B, K), supplied by the caller."""

    values: Tensor

    def __call__(self, states: Tensor, mask: Tensor) -> Gates:
        """Return the given gates."""
        return Gates(self.values.to(states), None)


class LearnedGate(nn.Module):
    """The experts classifier: FFN, logits / 0.1, sigmoid, hard threshold. Reads the mean of the real tokens."""

    def __init__(self, config: BoolAttnConfig, hidden_size: int) -> None:
        """Build the FFN d -> d/2 -> K."""
        super().__init__()
        self.temperature = config.gate_temperature
        self.ffn = nn.Sequential(
            nn.Linear(hidden_size, hidden_size // 2), nn.ReLU(), nn.Linear(hidden_size // 2, len(config.operators))
        )

    def forward(self, states: Tensor, mask: Tensor) -> Gates:
        """G = I(sigma(FFN(mean) / temperature) > 1/2), straight-through."""
        mean = (states * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)  # (B, d)
        logits = self.ffn(mean) / self.temperature  # (B, K)
        return Gates(straight_through(torch.sigmoid(logits), 0.5), logits)
