"""Section 2.2: which tokens an operator applies to."""

import math

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from boolattn.attention.config import BoolAttnConfig
from boolattn.attention.projection import LinearMap
from boolattn.attention.relaxations import gumbel_sigmoid, straight_through

KERNEL = 3


class ScopePredictor(nn.Module):
    """One scope per head and operator.

    As printed::

        S = Conv1D([H; p_c])    gamma = W_gamma o + b_gamma    beta = W_beta o + b_beta
        P = sigma(gamma S + beta)    Scope = I(P > theta)

    There is one kernel-3 convolution per operator, which reads that operator's cue probabilities. Such a
    convolution is three linear maps ("taps") whose outputs are shifted by one token and added, and FiLM only scales
    them. So ``linear_map`` returns the taps of all operators as one map, and ``predict`` does the rest.
    """

    def __init__(self, config: BoolAttnConfig, hidden_size: int, heads: int) -> None:
        """Initialise gamma = 1 and beta = 0: the plain convolution."""
        super().__init__()
        self.operators, self.heads = len(config.operators), heads
        bound = 1 / math.sqrt((hidden_size + 1) * KERNEL)  # nn.Conv1d's initialisation
        self.conv = nn.Parameter(torch.empty(self.operators, heads, hidden_size + 1, KERNEL).uniform_(-bound, bound))
        self.conv_bias = nn.Parameter(torch.empty(self.operators, heads).uniform_(-bound, bound))
        self.gamma = nn.Linear(config.operator_dim, heads)
        self.beta = nn.Linear(config.operator_dim, heads)
        for film, start in ((self.gamma, 1.0), (self.beta, 0.0)):
            nn.init.zeros_(film.weight)
            nn.init.constant_(film.bias, start)
        self.theta = nn.Parameter(torch.full((self.operators,), config.theta))

    def linear_map(self, operators: Tensor) -> LinearMap:
        """Return the taps of gamma Conv1D([H; p_c]) + beta, outputs ordered (kernel, h, K)."""
        gamma, beta = self.gamma(operators), self.beta(operators)  # (K, h)
        conv = (self.conv * gamma[..., None, None]).permute(3, 1, 0, 2)  # (kernel, h, K, d+1)
        constant = (self.conv_bias * gamma + beta).T.reshape(1, -1)  # (1, h*K)
        return LinearMap(
            states=conv[..., :-1].flatten(0, 2),
            signals=torch.diag_embed(conv[..., -1]).flatten(0, 2),  # each operator reads its own cues
            constant=F.pad(constant, (0, 0, 1, 1)).flatten(),  # once, with the middle tap
        )

    def predict(self, taps: Tensor, neighbours: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits and scopes (B, L, h, K) from the taps of each token (B * L, kernel * h * K)."""
        batch, length = neighbours.shape[:2]
        taps = taps.reshape(batch, length * KERNEL, self.heads * self.operators)
        logits = torch.bmm(neighbours, taps).view(batch, length, self.heads, self.operators)
        return logits, straight_through(gumbel_sigmoid(logits, noisy=self.training), self.theta)


def taps_of_neighbours(length: int, like: Tensor) -> Tensor:
    """Return which taps of which tokens form each token's convolution: (L, L, kernel), 0 or 1."""
    position = torch.arange(length, device=like.device)
    tap = torch.arange(KERNEL, device=like.device) - KERNEL // 2
    return (position[:, None, None] + tap == position[None, :, None]).to(like.dtype)


def real_neighbours(neighbours: Tensor, mask: Tensor) -> Tensor:
    """Return the same for a batch (B, L, L * kernel), ignoring padding.

    Padding counts as if it were beyond the end: the result must not depend on how
    long the other queries in the batch are.
    """
    return (neighbours * mask[:, None, :, None]).flatten(2)
