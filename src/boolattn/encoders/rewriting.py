"""*not* for any embedding function, an API's too: what is wanted and what is not, encoded apart. Needs no torch."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolattn.reading.plan import BooleanPlan
from boolattn.reading.understanding import plan_by_rules

LAMBDA = 0.3
"""Chosen on generated validation queries by `boolattn bench training-free`."""


class Rewritten(NamedTuple):
    """A query in two; where it excludes nothing, ``wanted`` is the query itself and ``unwanted`` empty."""

    wanted: str
    unwanted: str


def rewrite(query: str, plan: Callable[[str], BooleanPlan] = plan_by_rules) -> Rewritten:
    """Put what a query wants beside what it does not.

    >>> rewrite("movies set in Vietnam but not about war")
    Rewritten(wanted='movies set in Vietnam', unwanted='war')
    """
    found = plan(query)
    if not found.negatives:
        return Rewritten(query, "")
    wanted, unwanted = (" ".join(atom.text for atom in atoms) for atoms in (found.positives, found.negatives))
    return Rewritten(wanted or query, unwanted)


def signed_vectors(
    queries: Sequence[str],
    encode: Callable[[list[str]], Any],
    penalty: float = LAMBDA,
    plan: Callable[[str], BooleanPlan] = plan_by_rules,
) -> NDArray[np.float32]:
    """Encode queries with any embedding function, each vector moved away from what its query excludes.

    q = P/|P| - lambda N/|N|, of unit length again, with P the vector of what is wanted and N of what is not. A query
    that excludes nothing gets the function's own vector.

    Args:
        queries: In plain words, or with AND, OR and NOT.
        encode: Takes texts and returns their vectors; called once: a model's ``encode``, or a call of an API.
        penalty: lambda.
        plan: Who reads the queries: the rules, or a Boolean model's ``plan``.

    Example:
        >>> signed_vectors(["movies set in Vietnam but not about war"], model.encode)  # doctest: +SKIP
    """
    texts = [rewrite(query, plan) for query in queries]
    excluding = [place for place, text in enumerate(texts) if text.unwanted]
    asked = [text.wanted for text in texts] + [texts[place].unwanted for place in excluding]
    vectors = np.asarray(encode(asked), np.float32)
    found, unwanted = vectors[: len(texts)].copy(), vectors[len(texts) :]
    if excluding:
        found[excluding] = _unit(_unit(found[excluding]) - penalty * _unit(unwanted))
    return found


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths: NDArray[np.float32] = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)
