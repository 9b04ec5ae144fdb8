"""Plans of everyday queries with *and* and *or*, beside plans written by hand: `boolattn-lab bench plans`.

A third of the queries only look like conditions: names, dishes, questions. Their plan is the text itself. All were
labelled by reading them; half of them, by hash, only measure, but for those that the rules were seen to read. Whoever
wrote them also wrote the rules, and the list of fixed pairs after the look-alikes, so figures on other people's
wordings are lower.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from boolattn.reading.plan import AllOf, PlanNode, QueryAtom
from boolattn.reading.reading import Reader
from boolattn.reading.spans import content_words
from boolattn.reading.syntax import parse
from boolattn_lab.formats.hashed_labels import measures_only
from boolattn_lab.formats.jsonl import read_jsonl

PLANS = Path(str(files("boolattn_lab").joinpath("benchmarks", "data", "plans.jsonl")))


class LabelledPlan(msgspec.Struct, frozen=True):
    """A query and its right plan.

    Attributes:
        query: The text.
        plan: Its plan in the explicit syntax; empty if it sets no conditions.
        seen: Whether the rules were developed on it, whatever its hash says.
    """

    query: str
    plan: str
    seen: bool = False

    @property
    def measures_only(self) -> bool:
        """Whether it belongs to the half that nothing was developed on."""
        return measures_only(self.query) and not self.seen


@dataclass(frozen=True, slots=True)
class PlanScores:
    """What a reader's plans of some queries are worth.

    Attributes:
        conditions: Queries that set conditions.
        found: Of these, plans with more than one part.
        same_meaning: Of these, plans that accept the same texts, word by word.
        same_atoms: Of these, plans with the same atoms in the same tree.
        look_alikes: Queries that set none.
        made_conditions: Of these, plans with more than one part.
    """

    conditions: int
    found: int
    same_meaning: int
    same_atoms: int
    look_alikes: int
    made_conditions: int


def labelled_plans(path: Path = PLANS) -> list[LabelledPlan]:
    """Return the labelled queries."""
    return list(read_jsonl(path, LabelledPlan))


def plan_scores(rows: Sequence[LabelledPlan], reader: Reader) -> PlanScores:
    """Compare a reader's plans with the labels."""
    plans = [reading.plan().condition for reading in reader.read([row.query for row in rows])]
    asked = [(parse(row.plan).condition, plan) for row, plan in zip(rows, plans, strict=True) if row.plan]
    others = [plan for row, plan in zip(rows, plans, strict=True) if not row.plan]
    return PlanScores(
        len(asked),
        sum(_has_parts(plan) for _, plan in asked),
        sum(meaning(gold, by_words=True) == meaning(plan, by_words=True) for gold, plan in asked),
        sum(meaning(gold) == meaning(plan) for gold, plan in asked),
        len(others),
        sum(map(_has_parts, others)),
    )


def _has_parts(condition: PlanNode) -> bool:
    return not isinstance(condition, QueryAtom)


def meaning(condition: PlanNode, *, by_words: bool = False) -> Any:
    """Return a condition without order and function words.

    Args:
        condition: The condition.
        by_words: Whether a wanted atom of several words means all of them, wherever they are.
    """
    if isinstance(condition, QueryAtom):
        words = frozenset(content_words(condition.text)) - _SAYING_LITTLE
        if by_words and condition.sign == 1 and len(words) > 1:
            return "all", frozenset((frozenset([word]), 1) for word in words)
        return words, condition.sign
    kind = "all" if isinstance(condition, AllOf) else "any"
    parts = [meaning(part, by_words=by_words) for part in condition.parts]
    merged = frozenset(each for part in parts for each in (part[1] if part[0] == kind else [part]))
    return next(iter(merged)) if len(merged) == 1 else (kind, merged)


_SAYING_LITTLE = frozenset({"set", "using", "made", "directed", "starring", "containing", "near", "under"})
