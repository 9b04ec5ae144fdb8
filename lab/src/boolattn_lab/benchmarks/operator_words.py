"""Operators as words, for models that accept only text."""

from collections.abc import Collection

from boolattn.operators import OPERATORS


def with_operator_words(text: str, operators: Collection[str]) -> str:
    """Write the operators of a query before it, for a model that accepts only text: "and not: films ..."."""
    words = " ".join(name for name in OPERATORS if name in operators)
    return f"{words}: {text}" if words else text
