"""Telling one set of weights from another."""

import hashlib
from collections.abc import Iterator

import torch
from torch import nn

from boolattn.encoders.hooks import KEYWORD


def weights_of(module: nn.Module) -> Iterator[tuple[str, memoryview]]:
    """Yield name, type and shape, in words, and the bytes of every weight and buffer it saves, BoolAttn's left out."""
    for name, value in sorted(module.state_dict().items()):
        if KEYWORD not in name.split("."):
            content = memoryview(value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
            yield f"{name} {value.dtype} {tuple(value.shape)}", content


def fingerprint(model: nn.Module) -> str:
    """Return a digest of a model's structure and of every weight and buffer that it saves, an adapter's left out."""
    digest = hashlib.blake2b(repr(model).encode(), digest_size=16)
    for said, content in weights_of(model):
        digest.update(said.encode())
        digest.update(content)
    return digest.hexdigest()
