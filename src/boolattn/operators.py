"""The Boolean operators, as plain data."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Operator:
    """What the mechanism needs to know about one Boolean operator.

    Attributes:
        name: Its name, for users and in saved files.
        sign: Its sign in S_Boolean: +1 adds attention, -1 removes it.
        reach: Which tokens a cue can apply to: those on ``"both"`` sides, or those ``"after"`` it.
        pairwise: Whether the scope binds tokens to each other (S S^T) or marks them individually.
    """

    name: str
    sign: Literal[1, -1]
    reach: Literal["both", "after"]
    pairwise: bool


AND = Operator("and", +1, "both", pairwise=True)
OR = Operator("or", +1, "both", pairwise=True)
NOT = Operator("not", -1, "after", pairwise=False)

OPERATORS: dict[str, Operator] = {operator.name: operator for operator in (AND, OR, NOT)}
