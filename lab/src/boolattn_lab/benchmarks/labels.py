"""Scores for operators, cues and scopes, from Boolean labels per query (gate) or per token (cue, scope)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolattn.operators import OPERATORS
from boolattn_lab.benchmarks.measures import PerQuery


def gate_hits(queries: Sequence[str], gold: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> PerQuery:
    """Return for each query whether its operators were predicted correctly.

    Args:
        queries: The N query IDs.
        gold: Whether a query contains an operator, (N, K), in the order of ``OPERATORS``.
        predicted: The predicted labels, (N, K).

    Returns:
        1 or 0 per query, for each operator, ``gate(not)``, and for the set of all of them, ``exact``.
    """
    _require_same_shape(gold, predicted)
    right = gold == predicted  # (N, K)
    columns = {"exact": right.all(axis=1)} | {f"gate({name})": right[:, k] for k, name in enumerate(OPERATORS)}
    return {
        measure: dict(zip(queries, column.astype(float).tolist(), strict=True)) for measure, column in columns.items()
    }


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Counts of correct, predicted and gold token labels per query and operator; each (N, K)."""

    right: NDArray[np.int64]
    predicted: NDArray[np.int64]
    gold: NDArray[np.int64]

    @classmethod
    def of(cls, gold: Iterable[NDArray[np.bool_]], predicted: Iterable[NDArray[np.bool_]]) -> "TokenCounts":
        """Count the labels of N queries, (L, K) each. L may differ; padding that is False in both is ignored."""
        rows = []
        for truth, guess in zip(gold, predicted, strict=True):
            _require_same_shape(truth, guess)
            rows.append([(truth & guess).sum(axis=0), guess.sum(axis=0), truth.sum(axis=0)])
        return cls(*np.array(rows, dtype=np.int64).reshape(-1, 3, len(OPERATORS)).swapaxes(0, 1))

    def where(self, chosen: NDArray[np.bool_]) -> "TokenCounts":
        """Return the counts of some queries, such as those of one template."""
        return TokenCounts(self.right[chosen], self.predicted[chosen], self.gold[chosen])

    def scores(self, kind: str) -> dict[str, float]:
        """Return precision, recall and F1 over all tokens together (micro), for each operator and for all.

        With kind "cue", they are named ``cue-P(not)``, ``cue-R(not)``, ``cue-F1(not)``, and for all ``cue-F1``.
        An operator without gold or predicted tokens was not tested and is omitted.
        """
        sums = np.stack([self.right, self.predicted, self.gold]).sum(axis=1)  # (3, K)
        named = {"": sums.sum(axis=1)} | {f"({name})": sums[:, k] for k, name in enumerate(OPERATORS)}
        return {
            f"{kind}-{measure}{suffix}": value
            for suffix, counts in named.items()
            if counts.any()
            for measure, value in _precision_recall_f1(*counts.tolist()).items()
        }


def _precision_recall_f1(right: int, predicted: int, gold: int) -> dict[str, float]:
    return {
        "P": right / predicted if predicted else 0.0,
        "R": right / gold if gold else 0.0,
        "F1": 2 * right / (predicted + gold),
    }


def _require_same_shape(gold: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> None:
    if gold.shape != predicted.shape or gold.shape[-1] != len(OPERATORS):
        raise ValueError(
            f"gold labels {gold.shape} and predicted labels {predicted.shape} must have the same shape, "
            f"with one column for each of {', '.join(OPERATORS)}"
        )
