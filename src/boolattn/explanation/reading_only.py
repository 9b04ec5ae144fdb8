"""Explain a reading, for models whose attention is not accessible."""

from collections.abc import Collection, Sequence

import numpy as np

from boolattn.encoders.understanding import require_one
from boolattn.explanation.explanation import Explanation
from boolattn.explanation.words import word_spans
from boolattn.operators import NOT
from boolattn.reading.caller import labelled_reading
from boolattn.reading.options import ReadingOptions
from boolattn.reading.spans import token_labels


def explain_reading(
    options: ReadingOptions,
    query: str,
    operators: Collection[str] | None = None,
    exclude: Sequence[str] | None = None,
) -> Explanation:
    """Return how a query is read, and whether rewriting adds each word to its vector, subtracts it, or does not use it.

    Args:
        options: How to read the query, and which exclusions to act on.
        query: The text.
        operators: The operators it contains; None lets the reader find them.
        exclude: The words that it excludes; None lets the reader find them.
    """
    require_one(operators, exclude)
    if operators is not None and NOT.name not in operators:
        reading = labelled_reading(query, operators, {}, {})
    else:
        reading = options.read([query], exclude)[0]
    applied = options.applied(reading)
    spans = tuple(word_spans(query))
    cues = np.array(token_labels(spans, reading.cues[NOT.name]), dtype=np.float64)
    plan = applied.plan()
    wanted, unwanted = (
        np.array(token_labels(spans, (atom.span for atom in atoms)), dtype=bool)
        for atoms in (plan.positives, plan.negatives)
    )
    if not unwanted.any() or not wanted.any():  # the whole query is encoded
        wanted[:] = True
    by_layer = np.zeros((0, len(spans)))
    return Explanation(
        query=query,
        tokens=tuple(span.of(query) for span in spans),
        spans=spans,
        operators=(NOT.name,),
        source=reading.source,
        reading=reading,
        plan=plan,
        gates=np.array([float(bool(applied.exclusions))]),
        cues=cues[:, None],
        scopes=by_layer[..., None],
        biases=by_layer[..., None],
        attention_before=by_layer,
        attention_after=by_layer,
        readout=np.where(unwanted, -1.0, np.where(wanted, 1.0, 0.0)) / max(len(spans), 1),
    )
