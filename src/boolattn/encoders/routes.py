"""The two routes of a Boolean model: queries one way, documents another."""

from typing import Any, cast

from sentence_transformers.base.model import BaseModel
from sentence_transformers.base.modules import Module, Router


def routes_of(model: BaseModel) -> dict[str, list[Any]]:
    """Return the modules of each route of a model that begins with a router; nothing for any other."""
    router = next(iter(model.children()), None)
    if not isinstance(router, Router):
        return {}
    return {name: list(cast(Module, route)) for name, route in router.sub_modules.items()}
