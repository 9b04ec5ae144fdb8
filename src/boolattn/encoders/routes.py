"""The two routes of a Boolean model: one for queries, one for documents."""

from typing import Any, cast

from sentence_transformers.base.model import BaseModel
from sentence_transformers.base.modules import Module, Router

QUERY_ENCODER = "query_encoder"
"""The route of a second encoder, with separate weights, that only the query tower uses."""


def routes_of(model: BaseModel) -> dict[str, list[Any]]:
    """Return the modules of each route of a model that starts with a router; empty for other models."""
    router = next(iter(model.children()), None)
    if not isinstance(router, Router):
        return {}
    return {name: list(cast(Module, route)) for name, route in router.sub_modules.items()}
