"""Refuse saved weights that do not fit their settings, before memory is allocated for them, or that are not finite."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn


def require_fitting(build: Callable[[], nn.Module], saved: Mapping[str, tuple[int, ...]], where: str) -> None:
    """Raise if the settings are invalid, or do not match the saved weights.

    Args:
        build: Builds the module from its settings. It is called on a device that allocates nothing, so that settings
            for huge weights cost nothing.
        saved: Names and shapes of the saved weights.
        where: The file or folder of the settings.
    """
    try:
        with torch.device("meta"):
            expected = {name: tuple(each.shape) for name, each in build().state_dict().items()}
    except (ArithmeticError, AttributeError, RuntimeError, TypeError, ValueError) as error:
        raise ValueError(f"the settings in {where} are damaged: get the model again ({error})") from error
    for name in sorted(expected.keys() | saved.keys()):
        if expected.get(name) != saved.get(name):
            raise ValueError(
                f"the settings in {where} require {name} of shape {expected.get(name)}, but the weights there have "
                f"{saved.get(name)}: one of them is damaged, get the model again"
            )


def require_finite(weights: Mapping[str, Tensor], where: str) -> None:
    """Raise if a weight is NaN or infinite: every vector would be too, and searches would find nothing."""
    for name, weight in weights.items():
        if not bool(torch.isfinite(weight).all()):
            raise ValueError(f"the weights {name} in {where} are not finite: get the model again, or train it again")
