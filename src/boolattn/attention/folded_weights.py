"""Results that depend only on the weights, computed once instead of on every call."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import torch
from torch import nn

Result = TypeVar("Result")


class FoldedWeights:
    """Caches such results between calls without gradients, until a weight changes.

    Folding FiLM and the operators' gates into the weights they scale costs as much as a layer at batch size 1.
    Nothing is cached with gradients on, or while torch.compile, torch.export or a tracer is recording.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.results: dict[Hashable, Any] = {}
        self.weights: list[dict[str, nn.Parameter | None]] = []
        self.seen: list[tuple[int, int]] | None = None
        self.device = "cpu"

    def __reduce__(self) -> tuple[type["FoldedWeights"], tuple[()]]:
        """Give a copied or pickled module an empty cache."""
        return FoldedWeights, ()

    def clear(self) -> None:
        """Empty the cache, for changes to weights that ``look`` cannot detect."""
        self.results, self.weights, self.seen = {}, [], None

    def look(self, module: nn.Module) -> None:
        """Empty the cache if a weight of the module was modified, moved or replaced since the last look."""
        if not _remembers():
            return
        if not self.weights:
            self.weights = [each._parameters for each in module.modules()]
            self.device = next(module.parameters()).device.type
        try:
            seen = [(p.data_ptr(), p._version) for owner in self.weights for p in owner.values() if p is not None]
        except RuntimeError:  # weights made in inference mode have no version counter
            seen = None
        if seen is None or seen != self.seen:
            self.results, self.seen = {}, seen

    def __call__(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return ``compute()``, or its cached result."""
        if not _remembers():
            return compute()
        results = self.results  # another thread may empty the cache meanwhile
        if key not in results:
            with torch.autocast(self.device, enabled=False):  # cached results must also serve calls without autocast
                results[key] = compute()
        result: Result = results[key]
        return result


def capturing() -> bool:
    """Whether a graph is being recorded: then no branching on data and no caching."""
    return torch.compiler.is_compiling() or torch.jit.is_tracing()  # type: ignore[attr-defined, no-untyped-call]


def _remembers() -> bool:
    return not torch.is_grad_enabled() and not capturing()
