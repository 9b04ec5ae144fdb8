"""A fingerprint of everything that document vectors depend on."""

import hashlib
from collections.abc import Iterator
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Dense, Normalize, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling
from torch import nn

from boolattn.backbones.attach.hooks import KEYWORD
from boolattn.backbones.attach.plugin import base_of
from boolattn.backbones.retrieval_model import RetrievalModel, document_encoder

_ARCHITECTURE = ("model_type", "num_attention_heads", "hidden_act", "hidden_activation")
"""Settings of a transformer that change vectors but not the shapes of its weights."""
_DOCUMENT_PROMPTS = ("document", "passage", "corpus")
"""The prompt names that sentence-transformers uses for documents: the first one that a model has."""
_PROBE = "Ünïcode isn't CamelCase:  3.14 % of films\n電影 🎬"
"""A text whose tokens show how a tokenizer handles case, accents, spaces and other scripts."""


def document_fingerprint(model: SentenceTransformer | RetrievalModel) -> str:
    """Return a digest of weights and settings that change document vectors, independent of library versions.

    A Boolean model encodes documents with its backbone, so both have the same fingerprint.
    """
    model = document_encoder(model)
    digest = hashlib.blake2b(digest_size=16)
    # No pooled vector depends on the pooler of BERT-like models, which is random if a checkpoint has none.
    unused = "pooler." if any(isinstance(module, Pooling) for module in model.children()) else None
    for place, module in enumerate(model.children()):
        digest.update(f"{place} {_settings_of(module)}".encode())
        inner = base_of(module.auto_model) if isinstance(module, Transformer) else module
        for said, content in weights_of(inner):
            if unused is None or not said.startswith(unused):
                digest.update(said.encode())
                digest.update(content)
    vocabulary: dict[str, int] = getattr(model.tokenizer, "get_vocab", dict)()
    normalise = model.similarity_fn_name != "dot"
    settings = (_document_prompt(model), model.truncate_dim, normalise, model.max_seq_length, _probe_tokens(model))
    digest.update(f"{settings} {sorted(vocabulary.items())}".encode())
    return digest.hexdigest()


def weights_of(module: nn.Module) -> Iterator[tuple[str, memoryview]]:
    """Yield a description (name, type, shape) and the bytes of every saved weight and buffer, except BoolAttn's."""
    for name, value in sorted(module.state_dict().items()):
        if KEYWORD not in name.split("."):
            content = memoryview(value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
            yield f"{name} {value.dtype} {tuple(value.shape)}", content


def _settings_of(module: nn.Module) -> tuple[Any, ...]:
    """Return a module's settings that are not weights; for known modules, only those that change vectors."""
    match module:
        case Transformer():
            config = module.auto_model.config
            return ("transformer", *(getattr(config, name, None) for name in _ARCHITECTURE))
        case Pooling():
            return ("pooling", module.pooling_mode, module.include_prompt)
        case Normalize():
            return ("normalize",)
        case Dense():
            return ("dense", type(module.activation_function).__name__, getattr(module, "use_residual", False))
    config = getattr(module, "get_config_dict", dict)()
    return (type(module).__name__, sorted(config.items()))


def _document_prompt(model: SentenceTransformer) -> str:
    names = [name for name in _DOCUMENT_PROMPTS if name in model.prompts]
    return model.prompts.get(names[0] if names else model.default_prompt_name or "", "") or ""


def _probe_tokens(model: SentenceTransformer) -> list[int]:
    tokens = model.preprocess([_PROBE]).get("input_ids")
    return tokens.flatten().tolist() if isinstance(tokens, torch.Tensor) else []
