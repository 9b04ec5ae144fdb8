"""The features that carry a reading through a model, and how to build them."""

import torch
from torch import Tensor

from boolattn.attention import Trace
from boolattn.encoders.readers.token_reading import TokenReading
from boolattn.encoders.vectors.signed_pooling import UNWANTED, WANTED

GATES, CUES, SCOPES = "boolean_gates", "boolean_cues", "boolean_scopes"
TRACE = "boolean_trace"  # the mechanism's trace, for the losses


def mechanism_reading(trace: Trace) -> TokenReading:
    """Return the mechanism's reading: its gates, its cues, and the last layer's scopes averaged over heads."""
    scopes = trace.scopes[-1].mean(dim=2) if trace.scopes else torch.zeros_like(trace.cues)  # (B, L, K)
    return TokenReading(trace.gates, trace.cues, scopes)


def wanted_tokens(found: TokenReading, column: int, mask: Tensor) -> dict[str, Tensor]:
    """Return the readout's inputs: which real tokens are wanted, and which are unwanted."""
    gate = found.gates[:, column, None]  # (B, 1)
    cue, scope = found.cues[..., column] * gate, found.scopes[..., column] * gate  # (B, L)
    return {WANTED: mask * (1 - cue) * (1 - scope), UNWANTED: mask * scope}
