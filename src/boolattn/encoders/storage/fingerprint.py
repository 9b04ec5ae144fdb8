"""Telling one set of weights from another."""

import hashlib
from collections.abc import Iterator

import torch
from sentence_transformers import SentenceTransformer
from torch import nn

from boolattn.encoders.attach.hooks import KEYWORD
from boolattn.encoders.model_parts import document_encoder


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


def document_fingerprint(model: SentenceTransformer) -> str:
    """Return a digest of all that a document's vector depends on: weights, prompts, similarity and vocabulary.

    A Boolean model encodes documents as its backbone does, and has the backbone's.
    """
    model = document_encoder(model)
    vocabulary: dict[str, int] = getattr(model.tokenizer, "get_vocab", dict)()
    normalise = model.similarity_fn_name != "dot"
    settings = (model.prompts, model.default_prompt_name, model.truncate_dim, normalise, sorted(vocabulary))
    return hashlib.blake2b(f"{fingerprint(model)} {settings}".encode(), digest_size=16).hexdigest()
