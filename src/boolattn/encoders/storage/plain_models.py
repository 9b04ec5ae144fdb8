"""Plain sentence-transformers models, of which Boolean ones are made."""

from pathlib import Path
from typing import Any

from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Transformer
from sentence_transformers.sentence_transformer.modules import Pooling


def loaded(backbone: str | Path | SentenceTransformer) -> SentenceTransformer:
    """Return a model that is named or handed over."""
    return backbone if isinstance(backbone, SentenceTransformer) else SentenceTransformer(str(backbone))


def plain_modules(plain: SentenceTransformer) -> list[Any]:
    """Return the modules of a model of which a Boolean one can be made."""
    modules = list(plain.children())
    if [isinstance(*pair) for pair in zip(modules, (Transformer, Pooling), strict=False)] != [True, True]:
        kinds = [type(module).__name__ for module in modules]
        raise ValueError(f"a Boolean model is made of one that begins with Transformer and Pooling, not {kinds}")
    return modules


def settings_of(model: SentenceTransformer) -> dict[str, Any]:
    """Return what a model knows beside its modules."""
    names = ("device", "prompts", "default_prompt_name", "similarity_fn_name", "truncate_dim")
    return {name: getattr(model, name) for name in names}


def pools_by_mean(model: SentenceTransformer) -> bool:
    """Whether a model's vector is the mean over its tokens."""
    return any(isinstance(module, Pooling) and module.pooling_mode == "mean" for module in model.children())
