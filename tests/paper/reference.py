"""The equations of the paper, transcribed one operator, one head and one query at a time. Slow on purpose.

It shares no code with the fast mechanism, only its weights. Where the paper's letter is repaired (docs/paper-map.md)
the repair is transcribed too, so that the two can be compared.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from boolattn.attention import BoolAttention
from boolattn.operators import OPERATORS


def cue_probabilities(mechanism: BoolAttention, H: Tensor, k: int) -> Tensor:
    """p_c (L,) of one query H (L, d)."""
    o = mechanism.operators[k]
    o_prime = mechanism.cue.project.weight @ o + mechanism.cue.project.bias
    together = H + o_prime if mechanism.config.cue_conditioning == "additive" else H * o_prime
    return torch.sigmoid(together @ mechanism.cue.score.weight[0] + mechanism.cue.score.bias)


def scope(mechanism: BoolAttention, layer: int, H: Tensor, p_c: Tensor, k: int) -> Tensor:
    """S (h, L), 0 or 1."""
    predictor = mechanism.layers[layer % len(mechanism.layers)].scope
    o = mechanism.operators[k]
    together = torch.cat([H, p_c[:, None]], dim=1).T[None]  # (1, d+1, L)
    S = F.conv1d(together, predictor.conv[k], predictor.conv_bias[k], padding="same")[0]  # (h, L)
    gamma = predictor.gamma.weight @ o + predictor.gamma.bias
    beta = predictor.beta.weight @ o + predictor.beta.bias
    P = torch.sigmoid(gamma[:, None] * S + beta[:, None])
    return (P > predictor.theta[k]).float()


def position_weight(mechanism: BoolAttention, i: int, c: int, k: int) -> float:
    """w(r_i) for a cue at c."""
    sigma, window = float(mechanism.position.sigma[k]), mechanism.config.window
    if mechanism.config.operators[k] == "not":
        if i < c:
            return 0.0  # repaired: as printed max(0, i - c) = 0 gives 1
        r = i - c
    else:
        r = max(-window, min(window, i - c))
    return math.exp(-(r**2) / (2 * sigma**2))


def bias(mechanism: BoolAttention, layer: int, H: Tensor, p_c: Tensor, k: int) -> Tensor:
    """Bias (h, L), never negative."""
    predictor = mechanism.layers[layer % len(mechanism.layers)].bias
    length = len(H)
    w = torch.tensor(
        [max(float(p_c[c]) * position_weight(mechanism, i, c, k) for c in range(length)) for i in range(length)]
    )
    hidden = torch.relu(torch.cat([H, w[:, None]], dim=1) @ predictor.up[k].T + predictor.up_bias[k])
    b = hidden @ predictor.down[k].T + predictor.down_bias[k]  # (L, h)
    b = b * torch.sigmoid(predictor.operator_gate.weight @ mechanism.operators[k])
    if mechanism.layer_scale is not None:
        b = b * mechanism.layer_scale[layer, k]
    return F.softplus(b).T


def s_boolean(mechanism: BoolAttention, layer: int, first: Tensor, H: Tensor, gates: Tensor) -> Tensor:
    """S_Boolean (h, L, L) of one query: `first` is what layer 0 received, `H` what this layer receives."""
    total = torch.zeros(mechanism.heads, len(H), len(H))
    for k, name in enumerate(mechanism.config.operators):
        p_c = cue_probabilities(mechanism, first, k)
        S, b = scope(mechanism, layer, H, p_c, k), bias(mechanism, layer, H, p_c, k)
        for head in range(mechanism.heads):
            for i in range(len(H)):
                for j in range(len(H)):
                    mutual = S[head, i] * S[head, j] if OPERATORS[name].pairwise else S[head, j]  # repaired: keys
                    sign = 1 if name in ("and", "or") else -1
                    total[head, i, j] += sign * gates[k] * mutual * b[head, j]
    return total
