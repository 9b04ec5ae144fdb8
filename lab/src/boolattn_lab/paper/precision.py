"""The precision in which a training computes."""

import torch

from boolattn_lab.paper.recipes import Precision


def computes_bf16() -> bool:
    """Return whether this machine computes in bf16; a CPU without AMX emulates it, several times slower than fp32."""
    return torch.accelerator.is_available() or torch.cpu._is_amx_tile_supported()


def used_precision(asked: Precision) -> Precision:
    """Return a recipe's precision, or fp32 where bf16 would be emulated."""
    return "fp32" if asked == "bf16" and not computes_bf16() else asked
