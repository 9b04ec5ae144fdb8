"""A query with what is known of it."""

from collections.abc import Collection, Sequence
from typing import Self

from boolattn.operators import OPERATORS
from boolattn.reading.reading import Reading


class LabelledQuery(str):
    """A query that carries what is known of it, wherever batching and sorting may take it.

    Attributes:
        operators: The names of its operators.
        reading: What to act on; None lets the model read, if *not* is an operator.
    """

    operators: frozenset[str]
    reading: Reading | None

    @classmethod
    def of(cls, text: str, operators: str | Collection[str], reading: Reading | None = None) -> Self:
        """Label a text; a lone name stands for a set of one."""
        query = cls(text)
        query.operators = frozenset([operators] if isinstance(operators, str) else operators)
        query.reading = reading
        if unknown := query.operators - set(OPERATORS):
            raise ValueError(f"unknown operators {sorted(unknown)} for {text!r}; known are {list(OPERATORS)}")
        return query


def labelled(
    inputs: str | Sequence[str], operators: Sequence[str | Collection[str]]
) -> LabelledQuery | list[LabelledQuery]:
    """Give each query its operators."""
    if isinstance(operators, str):
        raise TypeError(f"operators= takes one entry per query: write [{operators!r}], not {operators!r}")
    texts = [inputs] if isinstance(inputs, str) else list(inputs)
    if len(texts) != len(operators):
        raise ValueError(f"{len(texts)} queries, but operators for {len(operators)}: give one entry per query")
    queries = [LabelledQuery.of(*pair) for pair in zip(texts, operators, strict=True)]
    return queries[0] if isinstance(inputs, str) else queries
