"""Results that depend on the weights alone, worked out once and not at every call."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import torch
from torch import nn

Result = TypeVar("Result")


class FoldedWeights:
    """Remembers such results between calls without gradients, for as long as nobody writes to the weights.

    Folding FiLM and the operators' gates into the weights they scale costs as much as a layer at batch size 1.
    With gradients, or while torch.compile, torch.export or a tracer records, nothing is remembered.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.results: dict[Hashable, Any] = {}
        self.weights: list[dict[str, nn.Parameter | None]] = []
        self.seen: list[tuple[int, int]] | None = None
        self.device = "cpu"

    def __reduce__(self) -> tuple[type["FoldedWeights"], tuple[()]]:
        """A copied or pickled module starts with an empty memory."""
        return FoldedWeights, ()

    def clear(self) -> None:
        """Forget everything; called when weights are replaced or written to in a way that leaves no sign."""
        self.results, self.weights, self.seen = {}, [], None

    def look(self, module: nn.Module) -> None:
        """Forget everything if a weight of the module was written to, moved or replaced since the last look."""
        if not _remembers():
            return
        if not self.weights:
            self.weights = [each._parameters for each in module.modules()]
            self.device = next(module.parameters()).device.type
        try:
            seen = [(p.data_ptr(), p._version) for owner in self.weights for p in owner.values() if p is not None]
        except RuntimeError:  # weights made in inference mode do not count how often they are written to
            seen = None
        if seen is None or seen != self.seen:
            self.results, self.seen = {}, seen

    def __call__(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return ``compute()``, or what it returned the last time."""
        if not _remembers():
            return compute()
        results = self.results  # another thread may start anew meanwhile
        if key not in results:
            with torch.autocast(self.device, enabled=False):  # what is kept must also serve calls without autocast
                results[key] = compute()
        result: Result = results[key]
        return result


def capturing() -> bool:
    """Whether a graph is being recorded: no branch on data, no memory of earlier calls."""
    return torch.compiler.is_compiling() or torch.jit.is_tracing()  # type: ignore[attr-defined, no-untyped-call]


def _remembers() -> bool:
    return not torch.is_grad_enabled() and not capturing()
