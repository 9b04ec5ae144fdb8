"""What a reading is called among a model's features, and how it is put together there."""

import torch
from torch import Tensor

from boolattn.attention import Trace
from boolattn.encoders.readers.token_reading import TokenReading
from boolattn.encoders.vectors.signed_pooling import UNWANTED, WANTED

GATES, CUES, SCOPES = "boolean_gates", "boolean_cues", "boolean_scopes"
TRACE = "boolean_trace"  # what the mechanism found, for losses to look at


def mechanism_reading(trace: Trace) -> TokenReading:
    """Return what the mechanism read: its cues, and the scopes of its last layer, which has read most, over heads."""
    scopes = trace.scopes[-1].mean(dim=2) if trace.scopes else torch.zeros_like(trace.cues)  # (B, L, K)
    return TokenReading(trace.gates, trace.cues, scopes)


def wanted_tokens(found: TokenReading, column: int, mask: Tensor) -> dict[str, Tensor]:
    """Return what the readout needs of a reading: which real tokens are wanted, and which are not."""
    gate = found.gates[:, column, None]  # (B, 1)
    cue, scope = found.cues[..., column] * gate, found.scopes[..., column] * gate  # (B, L)
    return {WANTED: mask * (1 - cue) * (1 - scope), UNWANTED: mask * scope}
