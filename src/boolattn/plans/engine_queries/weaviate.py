"""A plan as an argument of Weaviate's ``nearText``."""

from typing import Any

from boolattn.reading.plan import BooleanPlan


def to_weaviate(plan: BooleanPlan, force: float = 0.5) -> dict[str, Any]:
    """Return the plan as the argument of ``nearText`` in Weaviate's GraphQL.

    The first wanted atom is the concept to search for; Weaviate then moves its vector towards the other wanted atoms
    (``moveTo``) and away from the unwanted ones (``moveAwayFrom``). In the Python client these are ``query``,
    ``move_to=Move(**near_text["moveTo"])`` and ``move_away=Move(**near_text["moveAwayFrom"])``.

    Limitations: the tree is lost, since alternatives are treated like conditions, and the first atom
    counts most. Exclusions are soft. Confidence is ignored.

    Args:
        plan: What to find.
        force: How far to move, from 0 (not at all) to 1 (half-way, or as far away).

    Raises:
        ValueError: If the plan has only exclusions: ``nearText`` needs something to search for.
    """
    if not 0 <= force <= 1:
        raise ValueError(f"force is {force}: use a number from 0 to 1")
    if not plan.positives:
        raise ValueError(f"the plan {str(plan)!r} has only exclusions: add what to find, which nearText requires")
    first, *others = (atom.text for atom in plan.positives)
    near_text: dict[str, Any] = {"concepts": [first]}
    if others:
        near_text["moveTo"] = {"concepts": others, "force": force}
    if plan.negatives:
        near_text["moveAwayFrom"] = {"concepts": [atom.text for atom in plan.negatives], "force": force}
    return near_text
