"""Explanations made by hand: every word is cut into tokens of at most four characters."""

import re

import numpy as np

from boolattn.explanation.html import Explanation
from boolattn.reading.caller import caller_reading
from boolattn.reading.plan import BooleanPlan, QueryAtom
from boolattn.reading.spans import Span

OPERATORS = ("and", "or", "not")
LAYERS = 2


def plan(query, *excluded, source="rules"):
    atoms = [QueryAtom(word, Span(*re.search(re.escape(word), query).span()), -1) for word in excluded]
    return BooleanPlan(
        query, QueryAtom(query, Span(0, len(query)), 1) if not atoms else atoms[0], 0.8, source, "rules 1"
    )


def handmade(query, cues=None, scopes=None, source="rules", **changes):
    """Mark words: ``cues={"not": ["without"]}``, ``scopes={"not": ["war"]}``. Strength is 2."""
    cues, scopes = cues or {}, scopes or {}
    pieces = [
        (word.group(), Span(start, min(start + 4, word.end())))
        for word in re.finditer(r"\w+|\S", query)
        for start in range(word.start(), word.end(), 4)
    ]
    words = ["", *(word for word, _ in pieces), ""]
    spans = (Span(0, 0), *(span for _, span in pieces), Span(0, 0))
    said = np.array([[float(word in cues.get(name, ())) for name in OPERATORS] for word in words])
    inside = np.array([[float(word in scopes.get(name, ())) for name in OPERATORS] for word in words])
    gates = np.array([float(name in cues or name in scopes) for name in OPERATORS])
    negated, left = inside[:, 2] > 0, said[:, 2] > 0
    before = np.random.default_rng(0).dirichlet(np.ones(len(words)), LAYERS)
    biases = np.broadcast_to(inside * [2, 2, -2] * gates, (LAYERS, *inside.shape))
    after = before * np.exp(biases.sum(-1))
    values = {
        "query": query,
        "tokens": ("[CLS]", *(span.of(query) for _, span in pieces), "[SEP]"),
        "spans": spans,
        "operators": OPERATORS,
        "source": source,
        "reading": caller_reading(query, []),
        "plan": plan(query, *scopes.get("not", ())[:1]),
        "gates": gates,
        "cues": said,
        "scopes": np.broadcast_to(inside, biases.shape),
        "biases": biases,
        "attention_before": before,
        "attention_after": after / after.sum(1, keepdims=True),
        "readout": np.where(negated, -0.3, np.where(left, 0.0, 1.0)) / len(words),
    }
    return Explanation(**(values | changes))
