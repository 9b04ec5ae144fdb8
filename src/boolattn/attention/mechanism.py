"""Section 2.4: S_Boolean = S_and + S_or - S_not."""

from typing import NamedTuple, cast

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from boolattn.attention.biases import BiasPredictor, PositionWeights
from boolattn.attention.config import BoolAttnConfig
from boolattn.attention.context import Context, LayerWeights, Overrides, Trace
from boolattn.attention.cues import CuePredictor
from boolattn.attention.folded_weights import FoldedWeights, capturing
from boolattn.attention.gates import Gate, GivenGate, LearnedGate
from boolattn.attention.projection import Projection
from boolattn.attention.scopes import ScopePredictor, real_neighbours, taps_of_neighbours

LENGTH_STEP = 64  # cached position tables come in multiples of this length


class Factors(NamedTuple):
    """S_Boolean as u v^T: each operator adds one outer product, so the rank is at most K."""

    u: Tensor  # (B, h, L, K): Scope_i for and/or, 1 for not
    v: Tensor  # (B, h, L, K): +-G Scope_j Bias_j

    def matrix(self) -> Tensor:
        """Return S_Boolean (B, h, L, L), to be added to Q K^T / sqrt(d): row i attends to column j."""
        return torch.matmul(self.u, self.v.mT)


class LayerPredictors(nn.Module):
    """The scope and bias predictors of one layer."""

    def __init__(self, config: BoolAttnConfig, hidden_size: int, heads: int) -> None:
        """Build both."""
        super().__init__()
        self.scope = ScopePredictor(config, hidden_size, heads)
        self.bias = BiasPredictor(config, hidden_size, heads)
        self.widths = (self.scope.conv[..., 0, :].numel(), self.bias.up_bias.numel())

    def fold(self, operators: Tensor, scale: Tensor | None) -> LayerWeights:
        """Fold FiLM, the operator's gate and a shared layer's scale into the weights they multiply."""
        projection = Projection.stack(self.scope.linear_map(operators), self.bias.linear_map())
        return LayerWeights(projection, self.bias.second_layer(operators, scale))

    def predict(self, states: Tensor, context: Context, weights: LayerWeights) -> tuple[Tensor, Tensor, Tensor]:
        """Return scope logits, scopes and biases, each (B, L, h, K)."""
        assert context.signals is not None and context.neighbours is not None
        projected = weights.projection(states.flatten(0, 1), context.signals)
        taps, hidden = projected.split_with_sizes(self.widths, dim=-1)
        logits, scopes = self.scope.predict(taps, context.neighbours)
        return logits, scopes, self.bias.predict(hidden, weights.second_layer).view_as(scopes)


class BoolAttention(nn.Module):
    """BoolAttn for a whole encoder: one cue predictor and gate; scope and bias predictors for every layer."""

    sign: Tensor
    unary: Tensor

    def __init__(self, config: BoolAttnConfig, hidden_size: int, heads: int, layers: int) -> None:
        """Build everything for an encoder of the given size."""
        super().__init__()
        self.config, self.heads, self.depth = config, heads, layers
        self.operators = nn.Parameter(torch.randn(len(config.operators), config.operator_dim))  # o
        self.cue = CuePredictor(config, hidden_size)
        self.position = PositionWeights(config)
        self.gate = LearnedGate(config, hidden_size) if config.gate == "learned" else None
        shared = config.share == "layers"
        self.layers = nn.ModuleList(LayerPredictors(config, hidden_size, heads) for _ in range(1 if shared else layers))
        self.layer_scale = nn.Parameter(torch.ones(layers, len(config.operators))) if shared else None
        records = config.operator_records
        self.register_buffer("sign", torch.tensor(config.signs), persistent=False)
        self.register_buffer("unary", torch.tensor([float(not op.pairwise) for op in records]), persistent=False)
        self._folded = FoldedWeights()

    def begin(self, states: Tensor, mask: Tensor, overrides: Overrides, trace: bool = False) -> Context:
        """Find gates and cues in what the first layer receives: states (B, L, d), real tokens (B, L)."""
        mask = mask.to(states.dtype)
        gate: Gate | None = self.gate if overrides.gates is None else GivenGate(overrides.gates)
        if gate is None:
            raise ValueError("operators are missing: pass operators= for each query, or use gate='learned'")
        gates = gate(states, mask)
        if trace and gates.logits is None and self.gate is not None:  # so that it can be trained beside given gates
            gates = gates._replace(logits=self.gate(states, mask).logits)
        # The only branch on data. Not for a learned gate in training: a closed gate must still get its gradient.
        closed = not capturing() and not (self.training and gates.values.requires_grad) and not bool(gates.values.any())
        context = Context(overrides, mask, with_gradient=torch.is_grad_enabled())
        if not closed:
            context.weight = (self.sign * gates.values)[:, None, None] * mask[:, :, None, None]  # (B, L, 1, K)
        predicting = not closed and (overrides.scopes is None or overrides.strength is None)
        if predicting or trace:
            self._folded.look(self)
            cues, logits = self._cues(states, overrides)
            cues = cues * mask.unsqueeze(-1)  # (B, L, K)
            if trace:
                context.trace = Trace(self.config.operators, gates.values, gates.logits, cues, logits)
            if predicting:
                self._hand_down(cues, mask, context)
        return context

    def _cues(self, states: Tensor, overrides: Overrides) -> tuple[Tensor, Tensor | None]:
        """Return p_c (B, L, K), and its logits if it was predicted."""
        if overrides.cues is not None:
            return overrides.cues.to(states), None
        logits = F.linear(states, *self._folded("cue", lambda: self.cue(self.operators)))
        return torch.sigmoid(logits), logits

    def _hand_down(self, cues: Tensor, mask: Tensor, context: Context) -> None:
        """Add what every layer's predictors need to the context."""
        length = cues.shape[1]
        size = length if capturing() else -(-length // LENGTH_STEP) * LENGTH_STEP
        kernel = self._folded(("kernel", size), lambda: self.position.kernel(size))[:, :length, :length]
        taps = self._folded(("taps", size), lambda: taps_of_neighbours(size, like=mask))[:length, :length]
        context.signals = torch.cat([cues, self.position.weigh(cues, kernel)], dim=-1).flatten(0, 1)  # (B * L, 2K)
        context.neighbours = real_neighbours(taps, mask)
        context.layers = self._folded("layers", self._fold)

    def _fold(self) -> list[LayerWeights]:
        scales = [None] * self.depth if self.layer_scale is None else list(self.layer_scale)
        return [self._predictors(layer).fold(self.operators, scale) for layer, scale in enumerate(scales)]

    def _predictors(self, layer: int) -> LayerPredictors:
        return cast(LayerPredictors, self.layers[layer % len(self.layers)])  # a single one if shared

    def bias(self, layer: int, states: Tensor, context: Context) -> Factors:
        """Return S_op = G_op Scope_op Bias_op of one layer, whose self-attention receives states (B, L, d).

        Departs from the paper: *not* acts on the key axis, S_ij = -G Scope_j Bias_j. With the printed mask
        (B, heads, L, 1) and its bias on the query axis, S_ij = -G Scope_i Bias_i is the same for all keys of a row, and
        the softmax cancels it. With the bias on the key axis, S_ij = -G Scope_i Bias_j is not cancelled, but it lowers
        what negated tokens pay attention to, not the attention that they receive.
        """
        if torch.is_grad_enabled() and not context.with_gradient:
            raise RuntimeError(
                "cues and gates would get no gradient: set use_reentrant=False for gradient checkpointing"
            )
        overrides, logits = context.overrides, None
        if overrides.scopes is None or overrides.strength is None:
            logits, scopes, biases = self._predictors(layer).predict(states, context, context.layers[layer])
        if overrides.scopes is not None:
            scopes, logits = overrides.scopes.unsqueeze(2).to(states), None  # (B, L, 1, K)
        if overrides.strength is not None:
            biases = overrides.strength.to(states)  # (K,)
        if context.trace is not None:
            context.trace.record(layer, scopes * context.mask[..., None, None], biases, logits, self.heads)
        assert context.weight is not None, "no gate is open, so there is nothing to add"
        u = torch.maximum(scopes, self.unary)
        v = scopes * biases * context.weight
        return Factors(u.transpose(1, 2), v.transpose(1, 2))

    def train(self, mode: bool = True) -> "BoolAttention":
        """Switch mode and empty the cache, because it cannot detect weights modified through ``.data``."""
        self._folded.clear()
        return super().train(mode)
