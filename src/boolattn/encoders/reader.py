"""The learned reading of a query: its operators, the tokens that say them, and the tokens they speak of."""

from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from boolattn.attention import Trace
from boolattn.encoders.plugin import base_of
from boolattn.operators import OPERATORS

K = len(OPERATORS)
HINTLESS = 0.3  # the share of training queries that are read without hints


class ReadingLogits(NamedTuple):
    """What a reader says, before sigma."""

    gates: Tensor  # (B, K): the query holds the operator
    cues: Tensor  # (B, L, K): the token says it
    scopes: Tensor  # (B, L, K): it speaks of the token

    def trace(self) -> Trace:
        """Return it in the form in which the mechanism tells what it read."""
        found = Trace(tuple(OPERATORS), torch.sigmoid(self.gates), self.gates, torch.sigmoid(self.cues), self.cues)
        found.scopes, found.scope_logits = [torch.sigmoid(self.scopes)[:, :, None]], [self.scopes[:, :, None]]
        return found


class QueryReader(nn.Module):
    """Transformer layers of its own on the states of the plain backbone, with a hint of what rules make of the query.

    It reads what the backbone computes anyway: a query that it finds to be an ordinary one needs no second pass, and
    its vector is the backbone's. Where the backbone's layers are of BERT's form, the reader's start as its last ones.
    """

    def __init__(self, hidden_size: int, heads: int, intermediate_size: int, layers: int) -> None:
        """Build ``layers`` layers, of the backbone's size."""
        super().__init__()
        self.hints = nn.Linear(3 * K, hidden_size, bias=False)
        nn.init.zeros_(self.hints.weight)  # so that it starts as the backbone
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                hidden_size, heads, intermediate_size, activation="gelu", layer_norm_eps=1e-12, batch_first=True
            )
            for _ in range(layers)
        )
        self.drop = nn.Dropout(0.2)
        self.of_query = nn.Linear(2 * hidden_size, K)
        self.of_tokens = nn.Linear(2 * hidden_size, 2 * K)

    @classmethod
    def beginning_as(cls, encoder: PreTrainedModel, layers: int) -> "QueryReader":
        """Return a new reader for an encoder."""
        config: Any = encoder.config
        if layers > config.num_hidden_layers:
            raise ValueError(
                f"a reader of {layers} layers stands on the states below the backbone's last {layers}, but it has only "
                f"{config.num_hidden_layers}: reader_layers={config.num_hidden_layers} or fewer"
            )
        intermediate_size = getattr(config, "intermediate_size", None) or config.hidden_dim  # so called in DistilBERT
        reader = cls(config.hidden_size, config.num_attention_heads, intermediate_size, layers)
        theirs = getattr(getattr(base_of(encoder), "encoder", None), "layer", ())
        for ours, layer in zip(reader.layers, list(theirs)[len(theirs) - layers :], strict=False):
            if weights := _weights_of_bert(layer):
                ours.load_state_dict(weights)
        return reader

    def forward(self, states: tuple[Tensor, Tensor], mask: Tensor, hints: Tensor) -> ReadingLogits:
        """Read a batch.

        Args:
            states: What goes into the backbone's last layers, of which the reader has as many, and what the backbone
                returns, (B, L, d) each.
            mask: (B, L), 1 for real tokens.
            hints: What the rules say, (B, L, 3K): the token is of a cue, of a scope, the query holds the operator.
        """
        if self.training:  # so that it also learns to read where rules see nothing
            hints = hints * (torch.rand(len(hints), 1, 1, device=hints.device) > HINTLESS)
        below, last = states
        read: Tensor = (below if self.layers else last) + self.hints(hints.to(last))
        for layer in self.layers:
            read = layer(read, src_key_padding_mask=mask == 0)
        read = self.drop(read.masked_fill(mask.unsqueeze(-1) == 0, 0))
        mean = read.sum(dim=1) / mask.sum(dim=1, keepdim=True).to(read)
        cues, scopes = self.of_tokens(torch.cat([read, last], dim=-1)).chunk(2, dim=-1)
        return ReadingLogits(self.of_query(torch.cat([read[:, 0], mean], dim=-1)), cues, scopes)


def _weights_of_bert(layer: nn.Module) -> dict[str, Tensor]:
    """Return the weights of a layer of BERT's form under PyTorch's names; none if it is of another."""
    ours = {
        "self_attn.out_proj": "attention.output.dense",
        "norm1": "attention.output.LayerNorm",
        "linear1": "intermediate.dense",
        "linear2": "output.dense",
        "norm2": "output.LayerNorm",
    }
    theirs = layer.state_dict()
    kinds = ("weight", "bias")
    named = {f"{mine}.{kind}": theirs.get(f"{name}.{kind}") for mine, name in ours.items() for kind in kinds}
    for kind in kinds:
        parts = [theirs.get(f"attention.self.{name}.{kind}") for name in ("query", "key", "value")]
        named[f"self_attn.in_proj_{kind}"] = None if None in parts else torch.cat(cast(list[Tensor], parts))
    return {} if any(weight is None for weight in named.values()) else cast(dict[str, Tensor], named)
