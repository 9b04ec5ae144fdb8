"""The Boolean operators, as plain data."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Operator:
    """What the mechanism needs to know of one Boolean operator.

    Attributes:
        name: The word users and saved files know it by.
        sign: Its sign in S_Boolean: +1 draws attention, -1 takes it away.
        reach: Which tokens a cue speaks of: those on ``"both"`` sides, or those ``"after"`` it.
        pairwise: Whether the scope binds tokens to each other (S S^T) or marks them one by one.
    """

    name: str
    sign: Literal[1, -1]
    reach: Literal["both", "after"]
    pairwise: bool


AND = Operator("and", +1, "both", pairwise=True)
OR = Operator("or", +1, "both", pairwise=True)
NOT = Operator("not", -1, "after", pairwise=False)

OPERATORS: dict[str, Operator] = {operator.name: operator for operator in (AND, OR, NOT)}
