"""The settings of the mechanism, with the paper's values as defaults."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from boolattn.operators import OPERATORS, Operator

CueConditioning = Literal["multiplicative", "additive"]
GateKind = Literal["given", "learned"]
Share = Literal["none", "layers"]


@dataclass(frozen=True, kw_only=True)
class BoolAttnConfig:
    """How BoolAttn is built. ``BoolAttnConfig()`` is the paper's model, with its three faults repaired.

    Attributes:
        operators: The operators, by name, in the order of every K axis.
        operator_dim: d_o, the size of an operator embedding (appendix C).
        cue_conditioning: ``"additive"`` is the cue predictor as printed; ``"multiplicative"`` can tell operators apart.
        window: d, how far *and* and *or* reach on each side of a cue before the weight stays level (appendix C).
        sigma: Where the learned spread of the Gaussian starts (appendix C).
        theta: Where the learned scope threshold starts (appendix C).
        gate: ``"given"`` takes the operators from the caller, ``"learned"`` predicts them when the caller gives none.
        gate_temperature: What the learned gate's logits are divided by (appendix C).
        share: ``"layers"`` uses one set of scope and bias predictors for all layers, with a learned scale per layer.
        bias_rank: Width of the bias predictor's FFN; ``None`` is half the hidden size.
        not_strength: About where the bias of *not* starts; ``None`` is where a new network has it, near 0.7, which
            hardly moves attention.
    """

    operators: tuple[str, ...] = tuple(OPERATORS)
    operator_dim: int = 10
    cue_conditioning: CueConditioning = "multiplicative"
    window: int = 5
    sigma: float = 2.0
    theta: float = 0.5
    gate: GateKind = "given"
    gate_temperature: float = 0.1
    share: Share = "none"
    bias_rank: int | None = None
    not_strength: float | None = None

    def __post_init__(self) -> None:
        """Refuse settings that could only fail later, or silently."""
        if isinstance(self.operators, str):
            raise ValueError(f"operators is a sequence of names: write ({self.operators!r},)")
        object.__setattr__(self, "operators", tuple(self.operators))
        if unknown := set(self.operators) - set(OPERATORS):
            raise ValueError(f"unknown operators {sorted(unknown)}; known are {sorted(OPERATORS)}")
        if not self.operators or len(set(self.operators)) != len(self.operators):
            raise ValueError(f"operators must be named once each, at least one: {self.operators}")
        for name, choices in (("cue_conditioning", CueConditioning), ("gate", GateKind), ("share", Share)):
            if getattr(self, name) not in get_args(choices):
                raise ValueError(f"{name}={getattr(self, name)!r} is not one of {get_args(choices)}")
        for name in ("operator_dim", "window", "sigma", "gate_temperature", "not_strength"):
            if (value := getattr(self, name)) is not None and value <= 0:
                raise ValueError(f"{name} must be positive, not {value}")
        if self.bias_rank is not None and self.bias_rank < 1:
            raise ValueError(f"bias_rank must be at least 1, or None for half the hidden size, not {self.bias_rank}")
        if not 0 < self.theta < 1:
            raise ValueError(f"theta is a probability strictly between 0 and 1, not {self.theta}")

    @classmethod
    def light(cls, **changes: Any) -> "BoolAttnConfig":
        """Return the small, quick variant: predictors shared by all layers and a narrow bias FFN."""
        settings: dict[str, Any] = {"share": "layers", "bias_rank": 16}
        return cls(**(settings | changes))

    @property
    def operator_records(self) -> tuple[Operator, ...]:
        """The operators themselves, in order."""
        return tuple(OPERATORS[name] for name in self.operators)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values, the inverse of ``from_dict``."""
        return dataclasses.asdict(self) | {"operators": list(self.operators)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "BoolAttnConfig":
        """Read what ``to_dict`` wrote; a key nobody knows is an error, never ignored."""
        known = {field.name for field in dataclasses.fields(cls)}
        if unknown := set(values) - known:
            raise ValueError(f"unknown settings {sorted(unknown)}; known are {sorted(known)}")
        return cls(**values)
