"""The paper: Boolean-aware attention, equation by equation. Imports torch, never Hugging Face."""

from boolattn.attention.config import BoolAttnConfig
from boolattn.attention.context import Context, Overrides, Trace
from boolattn.attention.mechanism import BoolAttention, Factors

__all__ = ["BoolAttention", "BoolAttnConfig", "Context", "Factors", "Overrides", "Trace"]
