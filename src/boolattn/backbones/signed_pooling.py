"""Pool the states of a query's tokens into one vector that also represents exclusions."""

import math
from typing import Any, Self

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling
from torch import Tensor, nn

from boolattn.backbones.storage.plain_models import plain_modules, pools_by_mean
from boolattn.backbones.storage.sound_weights import require_fitting

# The Boolean tower's output for the readout. Both (B, L), from 0 to 1; absent if no query excludes anything.
WANTED = "wanted_tokens"
UNWANTED = "unwanted_tokens"
UNWANTED_STATES = "unwanted_states"  # (B, L, d), encoded separately; absent if the sentence's states are used
WEIGHTS = "unwanted_weights"  # (B, L): how often each unwanted token is subtracted; absent if all are once


class SignedPooling(Pooling):
    """Mean pooling that subtracts what the query excludes.

    q = P - lambda |P|/|N| N, with P the mean over wanted tokens and N the mean over unwanted ones. Dot products are
    linear, so in any engine q scores a document by score(P) - lambda score(N), as if both had unit length.
    lambda = bound sigmoid(w N/|N| + b) can be learned; w starts at 0, so that lambda starts equal for all queries.
    So can P and N: if ``rank`` is set, each is first transformed by a map of that rank, x + U V x, with U = 0 to start.

    A weight multiplies what is subtracted for an exclusion: the states of its tokens are multiplied by it in the last N
    alone, so that |N| and lambda stay as they are.

    Beyond the paper, whose attention can only ignore "war", not lower war films. A query that excludes
    nothing gets the mean over all its tokens, bit for bit.
    """

    config_keys: list[str] = [*Pooling.config_keys, "penalty", "bound", "rank"]  # noqa: RUF012, as sentence-transformers declares it

    def __init__(
        self, embedding_dimension: int, penalty: float = 0.3, bound: float = 1.0, rank: int = 0, **pooling: Any
    ) -> None:
        """Initialise lambda to ``penalty``, which must be below ``bound``."""
        super().__init__(embedding_dimension, **pooling)
        if self.pooling_mode != "mean":
            raise ValueError(f"the signed readout needs mean pooling; this model uses {self.pooling_mode!r}")
        if not 0 < penalty < bound < math.inf:
            raise ValueError(f"the penalty must be between 0 and its bound {bound}, not {penalty}")
        if not 0 <= rank <= embedding_dimension:
            raise ValueError(f"rank is {rank}: use 0 for no maps, or up to {embedding_dimension}, the vector's size")
        self.penalty, self.bound, self.rank = penalty, bound, rank
        self.weigh = nn.Linear(embedding_dimension, 1)
        nn.init.zeros_(self.weigh.weight)
        nn.init.constant_(self.weigh.bias, math.log(penalty / (bound - penalty)))
        self.move_wanted = _residual_map(embedding_dimension, rank) if rank else None
        self.move_unwanted = _residual_map(embedding_dimension, rank) if rank else None

    def forward(self, features: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Pool; features contain ``token_embeddings`` (B, L, d) and, if something is excluded, both kinds of tokens."""
        features = super().forward(features, **kwargs)
        if UNWANTED in features:
            signed = self.signed(*self.sides(features), self.away(features))
            excludes = features[UNWANTED].any(dim=1, keepdim=True)  # (B, 1)
            features["sentence_embedding"] = torch.where(excludes, signed, features["sentence_embedding"])
        return features

    def sides(self, features: dict[str, Any]) -> tuple[Tensor, Tensor]:
        """Return P and N (B, d)."""
        wanted = _mean(features["token_embeddings"], self.counted(features))
        return _moved(wanted, self.move_wanted), self._unwanted(features, None)

    def away(self, features: dict[str, Any]) -> Tensor | None:
        """Return N (B, d) with each token's state multiplied by its weight; None if no token has a weight."""
        return self._unwanted(features, features[WEIGHTS]) if WEIGHTS in features else None

    def _unwanted(self, features: dict[str, Any], weights: Tensor | None) -> Tensor:
        states = features.get(UNWANTED_STATES, features["token_embeddings"])
        if weights is not None:
            states = states * weights.to(states).unsqueeze(-1)
        return _moved(_mean(states, features[UNWANTED]), self.move_unwanted)

    def counted(self, features: dict[str, Any]) -> Tensor:
        """Return the weights of the wanted tokens (B, L), without a prompt's if the backbone ignores them."""
        wanted: Tensor = features[WANTED]
        if self.include_prompt or "prompt_length" not in features:
            return wanted
        length = int(torch.as_tensor(features["prompt_length"]).flatten()[0])
        return wanted * self._exclude_prompt_from_mask(features["attention_mask"], length)

    def signed(self, wanted: Tensor, unwanted: Tensor, away: Tensor | None = None) -> Tensor:
        """Return P - lambda |P|/|N| N for P, N (B, d); with ``away``, that is subtracted instead of the last N."""
        direction: Tensor = nn.functional.normalize(unwanted, dim=-1)
        penalty, length = self.weight_of(direction), torch.linalg.vector_norm(wanted, dim=-1, keepdim=True)
        if away is not None:
            direction = away / torch.linalg.vector_norm(unwanted, dim=-1, keepdim=True).clamp(min=1e-12)
        found: Tensor = wanted - penalty * length * direction
        return found

    def weight_of(self, away: Tensor) -> Tensor:
        """Return lambda (B, 1) for the unwanted direction (B, d)."""
        logit: Tensor = self.weigh(away.to(self.weigh.weight.dtype))
        return (self.bound * torch.sigmoid(logit)).to(away.dtype)

    def save(self, output_path: str, *args: Any, safe_serialization: bool = True, **kwargs: Any) -> None:
        """Write settings and weights."""
        self.save_config(output_path)
        self.save_torch_weights(output_path, safe_serialization=True)

    @classmethod
    def load(cls, model_name_or_path: str, *args: Any, **kwargs: Any) -> Self:
        """Load a saved module."""
        where = {name: kwargs[name] for name in ("subfolder", "token", "cache_folder", "revision", "local_files_only")}
        settings = cls.load_config(model_name_or_path, **where)
        weights = cls.load_torch_weights(model_name_or_path, **where)
        shapes = {name: tuple(each.shape) for name, each in weights.items()}
        require_fitting(lambda: cls(**settings), shapes, f"{model_name_or_path}/{where['subfolder']}")
        readout = cls(**settings)
        readout.load_state_dict(weights)
        return readout


def _residual_map(dimension: int, rank: int) -> nn.Sequential:
    """Return U V, which is initially 0."""
    down, up = nn.Linear(dimension, rank, bias=False), nn.Linear(rank, dimension, bias=False)
    nn.init.zeros_(up.weight)
    return nn.Sequential(down, up)


def _moved(vectors: Tensor, by: nn.Sequential | None) -> Tensor:
    """Return x + U V x, computed in the map's precision; x if there is no map."""
    if by is None:
        return vectors
    exact = vectors.to(next(by.parameters()).dtype)
    moved: Tensor = exact + by(exact)
    return moved.to(vectors.dtype)


def _mean(states: Tensor, weights: Tensor) -> Tensor:
    """Return the weighted mean of states (B, L, d) with weights (B, L); 0 if all weights are 0."""
    weights = weights.to(states).unsqueeze(-1)
    return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1e-9)


PENALTY = 0.3
"""Chosen on generated validation queries by `boolattn-lab bench training-free`."""


def new_readout(plain: SentenceTransformer, signed: bool, penalty: float = PENALTY, rank: int = 0) -> Pooling:
    """Return the pooling of a query route: the backbone's own, or one that subtracts exclusions.

    Args:
        plain: The backbone.
        signed: Whether to subtract, which requires mean pooling.
        penalty: Initial value of the learned weight of the subtraction.
        rank: Rank of the learned maps applied to the wanted and unwanted vectors; 0 for no maps.
    """
    transformer, pooling, *_ = plain_modules(plain)
    if not signed:
        own: Pooling = pooling
        return own
    if not pools_by_mean(plain):
        raise ValueError(
            f"the signed readout needs mean pooling, not {pooling.pooling_mode!r}: use "
            f"DualEncoder.training_free(backbone) or DualEncoder.untrained(backbone, signed=False)"
        )
    readout = SignedPooling(**pooling.get_config_dict(), penalty=penalty, rank=rank)
    return readout.to(device=plain.device, dtype=next(transformer.parameters()).dtype)
