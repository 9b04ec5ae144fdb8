"""Telling one set of weights from another."""

import hashlib

import torch
from torch import nn

from boolattn.encoders.hooks import KEYWORD


def fingerprint(model: nn.Module) -> str:
    """Return a digest of a model's structure and of every weight and buffer that it saves, an adapter's left out."""
    digest = hashlib.blake2b(repr(model).encode(), digest_size=16)
    for name, value in sorted(model.state_dict().items()):
        if KEYWORD in name.split("."):
            continue
        digest.update(f"{name} {value.dtype} {tuple(value.shape)}".encode())
        digest.update(value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    return digest.hexdigest()
