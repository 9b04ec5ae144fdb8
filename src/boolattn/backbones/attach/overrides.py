"""Convert the caller's arguments to the tensors of ``Overrides``."""

from collections.abc import Collection, Mapping, Sequence

import torch
from torch import Tensor

from boolattn.attention import BoolAttnConfig, Overrides
from boolattn.attention.folded_weights import capturing

Operators = Sequence[str | Collection[str]] | Tensor
Strength = float | Sequence[float] | Mapping[str, float] | Tensor


def overrides_from(
    config: BoolAttnConfig,
    operators: Operators | None = None,
    cues: Tensor | None = None,
    scopes: Tensor | None = None,
    strength: Strength | None = None,
) -> Overrides:
    """Convert the keywords of the model's forward call to tensors.

    Args:
        config: Settings with the names of the operators, in order.
        operators: For each query, the operators it contains: ``[["not"], [], ["and", "or"]]``, where a single name is
            a list of one; or gates (B, K) as a tensor.
        cues: Cue probabilities (B, L, K).
        scopes: Scopes (B, L, K), 0 or 1, the same for every head.
        strength: The bias itself: one number, one per operator by name (others get 0), or K numbers.
    """
    return Overrides(
        gates=None if operators is None else _gates(operators, config.operators),
        cues=None if cues is None else torch.as_tensor(cues),
        scopes=None if scopes is None else torch.as_tensor(scopes),
        strength=None if strength is None else _strength(strength, config.operators),
    )


def require_shapes(overrides: Overrides, batch: int, length: int, operators: int) -> None:
    """Raise if an override does not fit the batch."""
    for name, value, shape in (
        ("operators", overrides.gates, (batch, operators)),
        ("cues", overrides.cues, (batch, length, operators)),
        ("scopes", overrides.scopes, (batch, length, operators)),
        ("strength", overrides.strength, (operators,)),
    ):
        if value is not None and tuple(value.shape) != shape:
            hint = "; write one list of names per query, such as [['and', 'not']]" if name == "operators" else ""
            raise ValueError(f"{name}= has shape {tuple(value.shape)} but this batch needs {shape}{hint}")


def _known(name: str, names: tuple[str, ...]) -> int:
    if name not in names:
        raise ValueError(f"unknown operator {name!r}; this model has {list(names)}")
    return names.index(name)


def _gates(operators: Operators, names: tuple[str, ...]) -> Tensor:
    if isinstance(operators, str):
        raise TypeError(f"operators= takes one entry per query: write [{operators!r}], not {operators!r}")
    if hasattr(operators, "dtype"):  # a tensor, or a numpy array
        return torch.as_tensor(operators)
    operators = list(operators)
    rows = [[0.0] * len(names) for _ in operators]
    for row, held in zip(rows, operators, strict=True):
        for name in [held] if isinstance(held, str) else held:
            row[_known(name, names)] = 1.0
    return torch.tensor(rows).reshape(len(rows), len(names))


def _strength(strength: Strength, names: tuple[str, ...]) -> Tensor:
    if isinstance(strength, Mapping):
        values = torch.zeros(len(names))
        for name, value in strength.items():
            values[_known(name, names)] = value
    else:
        values = torch.as_tensor(strength, dtype=torch.float)
        values = values.expand(len(names)) if values.dim() == 0 else values
    if not capturing() and bool((values < 0).any()):
        raise ValueError(f"strength= must not be negative, because 'not' subtracts it: got {strength}")
    return values
