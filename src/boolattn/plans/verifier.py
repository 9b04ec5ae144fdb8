"""A verifier: the caller's own function, asked about the few candidates that words do not decide.

A candidate is undecided if its words neither fit the plan nor break it: a wanted atom is missing or found in part
("romantic" is not said, but shown), or an unwanted one is found in part or as part of another word. The best ``BUDGET``
of them are asked about. Numbers may have any scale: the middle one adds nothing, and the distance from it is measured
in quartiles, so that one extreme number does not flatten the others.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from boolattn.plans.candidate_scores import Evidence, Numbers

Verifier: TypeAlias = Callable[[str, str], float]
"""(query, text) -> how well the text answers the query; higher is better."""

BUDGET = 50
"""Candidates that a verifier is asked about, at most."""


class VerifierError(ValueError):
    """A verifier failed, or returned something other than a finite number."""


def verified(
    verifier: Verifier, query: str, texts: Sequence[str], evidence: Evidence, scores: Numbers
) -> dict[int, float]:
    """Return what a verifier adds to the scores (N,) of the candidates it was asked about, by their place."""
    undecided = np.flatnonzero(evidence.verdicts() == 0.5)
    asked = undecided[(-scores[undecided]).argsort(kind="stable")][:BUDGET].tolist()
    if len(asked) < 2:  # one number says nothing: there is nothing to compare it with
        return {}
    answers = np.array([_answer(verifier, query, texts[place], place) for place in asked])
    middle = np.median(answers)
    low, high = np.quantile(answers, (0.25, 0.75))
    scale = high - low or np.ptp(answers) or 1.0
    effects = np.clip((answers - middle) / scale, -1, 1) * evidence.weights.verifier * evidence.spread
    return dict(zip(asked, effects.tolist(), strict=True))


def _answer(verifier: Verifier, query: str, text: str, place: int) -> float:
    name = getattr(verifier, "__qualname__", None) or type(verifier).__name__
    try:
        answer = verifier(query, text)
    except Exception as error:
        raise VerifierError(
            f"the verifier {name} failed for texts[{place}]: {type(error).__name__}: {error}"
        ) from error
    try:
        number = float(answer)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise VerifierError(
            f"the verifier {name} returned {answer!r} for texts[{place}]: return a finite number, higher is better"
        )
    return number
