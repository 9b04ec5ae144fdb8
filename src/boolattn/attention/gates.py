"""Section 2.4 and appendix C: which operators a query contains."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from boolattn.attention.config import BoolAttnConfig
from boolattn.attention.relaxations import straight_through


class Gates(NamedTuple):
    """G, and the scores behind it where there are any."""

    values: Tensor  # (B, K), exactly 0 or 1
    logits: Tensor | None  # (B, K)


class Gate(Protocol):
    """Whatever can say which operators the queries of a batch contain."""

    def __call__(self, states: Tensor, mask: Tensor) -> Gates:
        """Read the input of the first layer (B, L, d) and the real tokens (B, L)."""
        ...


@dataclass(frozen=True)
class GivenGate:
    """G as an auxiliary label (B, K): the caller knows the operators."""

    values: Tensor

    def __call__(self, states: Tensor, mask: Tensor) -> Gates:
        """Answer what was given."""
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
