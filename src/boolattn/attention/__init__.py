"""The paper: Boolean-aware attention, equation by equation. Imports torch and nothing of Hugging Face's."""

from boolattn.attention.config import BoolAttnConfig
from boolattn.attention.context import Context, Overrides, Trace
from boolattn.attention.mechanism import BoolAttention, Factors

__all__ = ["BoolAttention", "BoolAttnConfig", "Context", "Factors", "Overrides", "Trace"]
