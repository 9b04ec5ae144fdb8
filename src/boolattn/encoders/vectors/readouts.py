"""The pooling of query tokens in a new Boolean model."""

from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling

from boolattn.encoders.storage.plain_models import plain_modules, pools_by_mean
from boolattn.encoders.vectors.signed_pooling import SignedPooling

PENALTY = 0.3
"""Chosen on generated validation queries by `boolattn dev bench training-free`."""


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
