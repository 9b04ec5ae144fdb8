"""The parts of plain sentence-transformers models, from which Boolean ones are made, and the routes of those."""

from pathlib import Path
from typing import Any, cast

from sentence_transformers import SentenceTransformer
from sentence_transformers.base.model import BaseModel
from sentence_transformers.base.modules import Module, Router, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling


def loaded(backbone: str | Path | SentenceTransformer) -> SentenceTransformer:
    """Return the model, loading it if given by name."""
    return backbone if isinstance(backbone, SentenceTransformer) else SentenceTransformer(str(backbone))


def plain_modules(plain: SentenceTransformer) -> list[Any]:
    """Return the modules of a model that can be made Boolean."""
    modules = list(plain.children())
    if [isinstance(*pair) for pair in zip(modules, (Transformer, Pooling), strict=False)] != [True, True]:
        kinds = [type(module).__name__ for module in modules]
        raise ValueError(f"only a model that starts with Transformer and Pooling can be made Boolean, not {kinds}")
    return modules


def settings_of(model: SentenceTransformer) -> dict[str, Any]:
    """Return a model's settings other than its modules."""
    names = ("device", "prompts", "default_prompt_name", "similarity_fn_name", "truncate_dim")
    return {name: getattr(model, name) for name in names}


def pools_by_mean(model: SentenceTransformer) -> bool:
    """Whether a model uses mean pooling."""
    return any(isinstance(module, Pooling) and module.pooling_mode == "mean" for module in model.children())


QUERY_ENCODER = "query_encoder"
"""The route of a second encoder, with separate weights, that only the query tower uses."""


def routes_of(model: BaseModel) -> dict[str, list[Any]]:
    """Return the modules of each route of a model that starts with a router; empty for other models."""
    router = next(iter(model.children()), None)
    if not isinstance(router, Router):
        return {}
    return {name: list(cast(Module, route)) for name, route in router.sub_modules.items()}
