"""All predictors of all operators in one matrix product with the hidden states."""

from typing import NamedTuple

import torch
from torch import Tensor


class LinearMap(NamedTuple):
    """y = states H + signals s + constant, where the signal s has one number per token and operator."""

    states: Tensor  # (outputs, d)
    signals: Tensor  # (outputs, K)
    constant: Tensor  # (outputs,)


class Projection(NamedTuple):
    """Linear maps of the same states, each with its own signal, stacked into one."""

    states: Tensor  # (d, outputs)
    signals: Tensor  # (maps * K, outputs)
    constant: Tensor  # (outputs,)

    @classmethod
    def stack(cls, *maps: LinearMap) -> "Projection":
        """Stack the outputs; each map sees only its own signal."""
        return cls(
            states=torch.cat([each.states for each in maps]).T.contiguous(),
            signals=torch.block_diag(*(each.signals for each in maps)).T.contiguous(),
            constant=torch.cat([each.constant for each in maps]),
        )

    def __call__(self, states: Tensor, signals: Tensor) -> Tensor:
        """Project states (tokens, d) and the maps' signals (tokens, maps * K) to (tokens, outputs)."""
        return torch.addmm(torch.addmm(self.constant, signals, self.signals), states, self.states)
