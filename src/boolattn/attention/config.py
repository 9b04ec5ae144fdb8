"""Settings of the mechanism; the defaults are the paper's."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from boolattn.operators import NOT, OPERATORS, Operator

CueConditioning = Literal["multiplicative", "additive"]
GateKind = Literal["given", "learned"]
Share = Literal["none", "layers"]
NotSign = Literal[-1, 1]


@dataclass(frozen=True, kw_only=True)
class BoolAttnConfig:
    """How BoolAttn is built. ``BoolAttnConfig()`` is the paper's model with three errors corrected.

    Attributes:
        operators: The operators, by name, in the order of every K axis.
        operator_dim: d_o, the size of an operator embedding (appendix C).
        cue_conditioning: ``"additive"`` is the cue predictor as printed; ``"multiplicative"`` can tell operators apart.
        window: d, the distance from a cue beyond which the weight of *and* and *or* is constant (appendix C).
        sigma: Initial value of the Gaussian's learned spread (appendix C).
        theta: Initial value of the learned scope threshold (appendix C).
        gate: ``"given"`` takes the operators from the caller, ``"learned"`` predicts them if the caller gives none.
        gate_temperature: Divides the learned gate's logits (appendix C).
        share: ``"layers"`` uses one set of scope and bias predictors for all layers, with a learned scale per layer.
        bias_rank: Width of the bias predictor's FFN; ``None`` means half the hidden size.
        not_sign: -1, as in the paper, lowers the attention that negated tokens receive; +1 raises it, which tests the
            claim of appendix A.
        not_strength: Approximate initial bias of *not*; ``None`` keeps the default initialisation, near 0.7, which
            hardly affects attention.
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
    not_sign: NotSign = -1
    not_strength: float | None = None

    def __post_init__(self) -> None:
        """Reject settings that would fail later or silently."""
        if isinstance(self.operators, str):
            raise ValueError(f"operators must be a sequence of names: write ({self.operators!r},)")
        object.__setattr__(self, "operators", tuple(self.operators))
        if unknown := set(self.operators) - set(OPERATORS):
            raise ValueError(f"unknown operators {sorted(unknown)}; use {sorted(OPERATORS)}")
        if not self.operators or len(set(self.operators)) != len(self.operators):
            raise ValueError(f"operators must contain at least one name and no duplicates: {self.operators}")
        for name, choices in (
            ("cue_conditioning", CueConditioning),
            ("gate", GateKind),
            ("share", Share),
            ("not_sign", NotSign),
        ):
            if getattr(self, name) not in get_args(choices):
                raise ValueError(f"{name}={getattr(self, name)!r} is not one of {get_args(choices)}")
        for name in ("operator_dim", "window", "sigma", "gate_temperature", "not_strength"):
            if (value := getattr(self, name)) is not None and not 0 < value < math.inf:
                raise ValueError(f"{name} must be positive and finite, not {value}")
        if self.bias_rank is not None and self.bias_rank < 1:
            raise ValueError(f"bias_rank must be at least 1, or None for half the hidden size, not {self.bias_rank}")
        if not 0 < self.theta < 1:
            raise ValueError(f"theta must be strictly between 0 and 1, not {self.theta}")

    @classmethod
    def light(cls, **changes: Any) -> "BoolAttnConfig":
        """Return the small, fast variant: predictors shared by all layers and a narrow bias FFN."""
        settings: dict[str, Any] = {"share": "layers", "bias_rank": 16}
        return cls(**(settings | changes))

    @property
    def operator_records(self) -> tuple[Operator, ...]:
        """The operators themselves, in order."""
        return tuple(OPERATORS[name] for name in self.operators)

    @property
    def signs(self) -> tuple[float, ...]:
        """The sign of each operator in S_Boolean, in order."""
        return tuple(float(self.not_sign if op.name == NOT.name else op.sign) for op in self.operator_records)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values, the inverse of ``from_dict``."""
        return dataclasses.asdict(self) | {"operators": list(self.operators)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "BoolAttnConfig":
        """Read the output of ``to_dict``; unknown keys are errors."""
        known = {field.name for field in dataclasses.fields(cls)}
        if unknown := set(values) - known:
            raise ValueError(f"unknown settings {sorted(unknown)}; use {sorted(known)}")
        return cls(**values)
