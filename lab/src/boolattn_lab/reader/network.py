"""The reader's network: a small encoder with a query head and a token head."""

from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import AutoModel, PreTrainedModel

from boolattn.reading.learned import QUERY_OUTPUTS, TOKEN_OUTPUTS

TOKEN_TYPES = 4  # see boolattn.reading.learned
EXCLUDED_COUNTS, CUE_COUNTS = 2.0, 4.0  # weights of the few tokens inside exclusions and cues
IMPOSSIBLE = -1e4  # added to the logits of kinds that a label rules out


class ReaderNetwork(nn.Module):
    """Predicts a query's kind of exclusion, *and* and *or*, and for each token whether it belongs to one of these.

    z_query = W_q [h_CLS ; mean_t h_t], z_t = W_t h_t. The first three outputs of each are a softmax (none, topic,
    property), the others sigmoids.
    """

    def __init__(self, encoder: PreTrainedModel) -> None:
        """Add the heads to a BERT-like encoder, replacing its token types with the reader's."""
        super().__init__()
        self.encoder = encoder
        embeddings: Any = encoder.embeddings
        first = embeddings.token_type_embeddings.weight.data[:1]
        embeddings.token_type_embeddings = nn.Embedding.from_pretrained(first.repeat(TOKEN_TYPES, 1), freeze=False)
        for frozen in (embeddings.word_embeddings, embeddings.position_embeddings):
            frozen.requires_grad_(False)  # rare words keep their pretrained meaning
        size: int = encoder.config.hidden_size
        self.drop = nn.Dropout(0.1)
        self.of_query = nn.Linear(2 * size, len(QUERY_OUTPUTS))
        self.of_tokens = nn.Linear(size, len(TOKEN_OUTPUTS))

    @classmethod
    def begin(cls, start: str, layers: int) -> "ReaderNetwork":
        """Return a network with the first layers of a pretrained encoder.

        Dropout inside the encoder is off and attention is eager: on a CPU, either would cost more than half of a step.
        """
        settings = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "attn_implementation": "eager"}
        encoder = cast(Any, AutoModel.from_pretrained(start, add_pooling_layer=False, **settings))
        encoder.encoder.layer = encoder.encoder.layer[:layers]
        encoder.config.num_hidden_layers = layers
        return cls(encoder)

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of queries, (B, 5), and of tokens, (B, L, 8)."""
        states = self.encoder(input_ids=ids, token_type_ids=types, attention_mask=mask).last_hidden_state  # (B, L, d)
        states, real = self.drop(states), mask[..., None].to(states.dtype)
        mean = (states * real).sum(dim=1) / real.sum(dim=1)  # (B, d)
        return self.of_query(torch.cat([states[:, 0], mean], dim=-1)), self.of_tokens(states)


def reader_loss(of_query: Tensor, of_tokens: Tensor, labels: dict[str, Tensor]) -> Tensor:
    """Return the loss of a batch. If a label allows several kinds, any of them is accepted.

    Args:
        of_query: (B, 5).
        of_tokens: (B, L, 8).
        labels: From ``boolattn_lab.reader.rows``; every ``*_known`` is 1 where a label is known.
    """
    of_query, of_tokens = of_query.float(), of_tokens.float()
    kind = _one_of(of_query[:, :3], labels["kinds"]).mean()
    joined = functional.binary_cross_entropy_with_logits(of_query[:, 3:], labels["operators"], reduction="none")
    excluded = _one_of(of_tokens[..., :3], labels["token_kinds"])
    inside = labels["token_known"] * (1 + (EXCLUDED_COUNTS - 1) * (labels["token_kinds"][..., 0] == 0))
    cues = functional.binary_cross_entropy_with_logits(of_tokens[..., 3:6], labels["cues"], reduction="none")
    cues = cues * (1 + (CUE_COUNTS - 1) * labels["cues"])
    scopes = functional.binary_cross_entropy_with_logits(of_tokens[..., 6:], labels["scopes"], reduction="none")
    return (
        kind
        + (joined * labels["operators_known"]).sum() / labels["operators_known"].numel() * 2
        + 2 * _mean(excluded, inside)
        + 0.5 * _mean(cues, labels["cues_known"])
        + _mean(scopes, labels["scopes_known"])
    )


def _one_of(logits: Tensor, possible: Tensor) -> Tensor:
    """Return -log of the probability of the allowed classes."""
    log_shares = functional.log_softmax(logits, dim=-1)
    return -torch.logsumexp(log_shares.masked_fill(possible == 0, IMPOSSIBLE), dim=-1)


def _mean(values: Tensor, weights: Tensor) -> Tensor:
    return (values * weights).sum() / weights.sum().clamp(min=1)
