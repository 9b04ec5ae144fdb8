"""Hard zeros and ones with a gradient."""

import torch
from torch import Tensor


def logistic_noise(like: Tensor) -> Tensor:
    """Draw standard logistic noise: the difference of two Gumbels, so sigma(0 + noise) > 1/2 half of the time."""
    uniform = torch.rand_like(like).clamp(min=torch.finfo(like.dtype).tiny, max=1 - torch.finfo(like.dtype).eps)
    return torch.log(uniform) - torch.log1p(-uniform)


def gumbel_sigmoid(logits: Tensor, noisy: bool) -> Tensor:
    """P = sigma(logits + logistic noise); without noise, the plain sigmoid."""
    return torch.sigmoid(logits + logistic_noise(logits) if noisy else logits)


def straight_through(probability: Tensor, threshold: Tensor | float) -> Tensor:
    """I(P > theta): exactly 0 or 1 forward, the gradient of P - theta backward.

    The surrogate includes the threshold as well as the probability: with the usual ``hard + P - P.detach()`` a learned
    threshold would get no gradient and stay where it started.
    """
    hard = (probability > threshold).to(probability.dtype)
    if not torch.is_grad_enabled():
        return hard
    soft = probability - threshold
    return hard + (soft - soft.detach())
