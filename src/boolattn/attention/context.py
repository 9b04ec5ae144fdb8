"""Inputs besides the states, what the first layer passes down, and what is recorded."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from torch import Tensor

from boolattn.attention.folded_weights import capturing
from boolattn.attention.projection import Projection


@dataclass(frozen=True)
class Overrides:
    """Values supplied by the caller instead of being predicted."""

    gates: Tensor | None = None  # (B, K), 0 or 1
    cues: Tensor | None = None  # (B, L, K), probabilities
    scopes: Tensor | None = None  # (B, L, K), 0 or 1, for every head
    strength: Tensor | None = None  # (K,), the bias itself

    @property
    def all_closed(self) -> bool:
        """Whether gates were given and none is open; always False while a graph is being recorded."""
        return self.gates is not None and not capturing() and not bool(self.gates.any())


@dataclass
class Trace:
    """What the mechanism did with one batch.

    There are no logits of cues and scopes that the caller supplied. The logits of gates are those of the learned gate,
    if there is one, also where the caller supplied gates: the gate is then an auxiliary task, as in appendix B.
    """

    operators: tuple[str, ...]
    gates: Tensor  # (B, K)
    gate_logits: Tensor | None
    cues: Tensor  # (B, L, K), probabilities
    cue_logits: Tensor | None
    scopes: list[Tensor] = field(default_factory=list)  # one per layer, (B, L, h, K); empty if no gate is open
    scope_logits: list[Tensor] = field(default_factory=list)  # likewise
    biases: list[Tensor] = field(default_factory=list)  # likewise

    def record(self, layer: int, scopes: Tensor, biases: Tensor, logits: Tensor | None, heads: int) -> None:
        """Add one layer; values given for all heads are expanded per head."""
        if layer < len(self.scopes):
            return  # gradient checkpointing recomputes layers
        shape = (*scopes.shape[:2], heads, scopes.shape[-1])
        self.scopes.append(scopes.expand(shape))
        self.biases.append(biases.expand(shape))
        if logits is not None:
            self.scope_logits.append(logits)


class LayerWeights(NamedTuple):
    """One layer's predictors, with everything independent of the input folded in."""

    projection: Projection
    second_layer: tuple[Tensor, Tensor]


@dataclass
class Context:
    """What the first layer computes and every layer uses."""

    overrides: Overrides
    mask: Tensor  # (B, L), 1 for real tokens
    with_gradient: bool
    trace: Trace | None = None
    weight: Tensor | None = None  # (B, L, 1, K): the operator's sign times G, 0 at padding; None if no gate is open
    signals: Tensor | None = None  # (B * L, 2K): cues and position weights, as the projection takes them
    neighbours: Tensor | None = None  # (B, L, L * kernel): which tokens a convolution sees
    layers: Sequence[LayerWeights] = ()

    @property
    def closed(self) -> bool:
        """Whether no layer has anything to add."""
        return self.weight is None
