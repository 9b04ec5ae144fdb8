"""A query with its labels. Needs no torch."""

from collections.abc import Collection, Sequence
from typing import Self

from boolattn.operators import OPERATORS
from boolattn.reading.reading import Reading


class LabelledQuery(str):
    """A query that carries its labels through batching and sorting.

    Attributes:
        operators: The names of its operators.
        reading: What to act on; None lets the model read, if *not* is among the operators.
    """

    operators: frozenset[str]
    reading: Reading | None

    @classmethod
    def of(cls, text: str, operators: str | Collection[str], reading: Reading | None = None) -> Self:
        """Label a text; a single name means a set of one."""
        query = cls(text)
        query.operators = frozenset([operators] if isinstance(operators, str) else operators)
        query.reading = reading
        if unknown := query.operators - set(OPERATORS):
            raise ValueError(f"unknown operators {sorted(unknown)} for {text!r}; use {list(OPERATORS)}")
        return query


def labelled(queries: Sequence[str], operators: Sequence[str | Collection[str]]) -> list[LabelledQuery]:
    """Label each query with its operators."""
    if isinstance(operators, str):
        raise TypeError(f"operators= takes one entry per query: write [{operators!r}], not {operators!r}")
    if len(queries) != len(operators):
        raise ValueError(f"{len(queries)} queries, but operators for {len(operators)}: give one entry per query")
    return [LabelledQuery.of(*pair) for pair in zip(queries, operators, strict=True)]
