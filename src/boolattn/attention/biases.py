"""Section 2.3: how strongly an operator acts on each token."""

import math

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from boolattn.attention.config import BoolAttnConfig
from boolattn.attention.projection import LinearMap
from boolattn.operators import NOT


class PositionWeights(nn.Module):
    """How close each token is to a cue: w(r) = exp(-r^2 / 2 sigma^2), with r = clip(i - c, -d, d) for *and* and *or*.

    Cue positions are the same in every layer, so these weights are computed once and passed down with the cues.

    Departs from the paper: for *not*, tokens before the cue get w = 0. As printed, r = max(0, i - c) gives them r = 0
    and so w = 1, the strongest weight, where the text says that *not* affects "only subsequent tokens".

    Departs from the paper: a query may have several cues, each with a probability, so
    w_i = max over c of p_c(c) w(i - c); for one certain cue this is the paper's w.
    """

    reaches_back: Tensor

    def __init__(self, config: BoolAttnConfig) -> None:
        """Initialise every operator with the paper's sigma."""
        super().__init__()
        self.window = config.window
        self.sigma = nn.Parameter(torch.full((len(config.operators),), float(config.sigma)))
        reaches_back = torch.tensor([operator.reach == "both" for operator in config.operator_records])
        self.register_buffer("reaches_back", reaches_back[:, None, None], persistent=False)  # (K, 1, 1)

    def kernel(self, length: int) -> Tensor:
        """Return w(i - c) for every token i and cue position c: (K, L, L)."""
        position = torch.arange(length, device=self.sigma.device)
        offset = position[:, None] - position[None, :]  # (L, L): i - c
        r = torch.where(self.reaches_back, offset.clamp(-self.window, self.window), offset)  # (K, L, L)
        w = torch.exp(-(r**2) / (2 * self.sigma**2)[:, None, None])
        return torch.where(self.reaches_back | (offset >= 0), w, 0)

    def weigh(self, cues: Tensor, kernel: Tensor) -> Tensor:
        """Return w (B, L, K) from cue probabilities (B, L, K)."""
        return (cues.mT.unsqueeze(2) * kernel).amax(-1).mT  # (B, K, 1, L) * (K, L, L) -> (B, L, K)


class BiasPredictor(nn.Module):
    """One non-negative bias per token, head and operator.

    As printed::

        b = FFN([H, w(r)])      b' = b sigma(W_op e_op)      Bias = softplus(b')

    There is one FFN per operator, d+1 -> d/2 -> h. ``linear_map`` is the first layer of all FFNs, ``second_layer``
    the second: the operator's gate scales its outputs, so it is folded into its weights.
    """

    def __init__(self, config: BoolAttnConfig, hidden_size: int, heads: int) -> None:
        """Build the FFNs and W_op."""
        super().__init__()
        self.operators, self.heads = len(config.operators), heads
        rank = config.bias_rank or hidden_size // 2
        up, down = 1 / math.sqrt(hidden_size + 1), 1 / math.sqrt(rank)  # nn.Linear's initialisation
        self.up = nn.Parameter(torch.empty(self.operators, rank, hidden_size + 1).uniform_(-up, up))
        self.up_bias = nn.Parameter(torch.empty(self.operators, rank).uniform_(-up, up))
        self.down = nn.Parameter(torch.empty(self.operators, heads, rank).uniform_(-down, down))
        self.down_bias = nn.Parameter(torch.empty(self.operators, heads).uniform_(-down, down))
        self.operator_gate = nn.Linear(config.operator_dim, heads, bias=False)
        if config.not_strength is not None and NOT.name in config.operators:
            start = 2 * math.log(math.expm1(config.not_strength))  # the gate starts at about 1/2
            nn.init.constant_(self.down_bias.data[config.operators.index(NOT.name)], start)

    def linear_map(self) -> LinearMap:
        """Return the first layer of FFN([H, w(r)]), outputs ordered (K, rank)."""
        return LinearMap(
            states=self.up[..., :-1].flatten(0, 1),
            signals=torch.block_diag(*self.up[..., -1:]),  # each operator reads its own w
            constant=self.up_bias.flatten(),
        )

    def second_layer(self, operators: Tensor, scale: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return weight (K * rank, h * K) and bias (h * K,) of b sigma(W_op e_op), times a shared layer's scale."""
        gate = torch.sigmoid(self.operator_gate(operators))  # (K, h)
        if scale is not None:
            gate = gate * scale[:, None]
        blocks = torch.block_diag(*(self.down * gate[..., None]).mT)  # (K * rank, K * h): each reads its own FFN
        weight = blocks.unflatten(-1, (self.operators, self.heads)).mT.flatten(1)  # (K * rank, h * K)
        return weight, (self.down_bias * gate).T.flatten()

    def predict(self, hidden: Tensor, second_layer: tuple[Tensor, Tensor]) -> Tensor:
        """Return biases (B * L, h * K) from the first layer's outputs (B * L, K * rank)."""
        weight, bias = second_layer
        return F.softplus(torch.addmm(bias, F.relu(hidden), weight))
