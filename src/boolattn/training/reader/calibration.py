"""From what the network says to how often that is right among real queries."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

Array = NDArray[np.float64]


class Calibration(NamedTuple):
    """confidence = sigma(scale * logit + shift): Platt's two numbers."""

    scale: float
    shift: float


def calibrate(confidences: Array, right: NDArray[np.bool_], weights: Array) -> Calibration:
    """Fit a calibration.

    Args:
        confidences: What the network says of held-out queries, before calibration.
        right: Whether they exclude a topic.
        weights: How many real queries each stands for.
    """
    said = np.clip(confidences, 1e-9, 1 - 1e-9)
    logits = np.log(said) - np.log1p(-said)
    fitted = LogisticRegression(C=1e3).fit(logits[:, None], right, sample_weight=weights)
    return Calibration(float(fitted.coef_[0, 0]), float(fitted.intercept_[0]))
