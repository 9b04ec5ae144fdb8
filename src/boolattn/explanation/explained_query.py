"""What the mechanism did to one query, as plain numbers."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolattn.reading.plan import BooleanPlan, Source
from boolattn.reading.reading import Reading
from boolattn.reading.spans import Span

Array = NDArray[np.float64]

# Shown with every reading, because users need to know its source.
SOURCES: dict[Source, str] = {
    "rules": "A lexicon of phrases; nothing here was learned.",
    "learned": "Predicted by the learned reader.",
    "mechanism": "Predicted by the mechanism of the trained model.",
    "caller": "Given by the caller; nothing here was predicted.",
    "syntax": "Written in the query itself, in explicit Boolean syntax.",
}


@dataclass(frozen=True, eq=False)
class ExplainedQuery:
    """How a query was read, and how this changed the encoder's attention.

    L tokens, K operators. If the model's attention is not accessible, tokens are words and there are no layers.

    Attributes:
        query: The text.
        tokens: The encoder's tokens: pieces of the query, and special tokens.
        spans: The position of each token in the query; (0, 0) for tokens outside it.
        operators: The names of the operators, in the order of the K axis.
        source: Where gates, cues and scopes came from; the plan names its own source.
        reading: The whole reading, including exclusions that are not acted on.
        plan: What is acted on: what the query asks for and what it excludes.
        gates: (K,) which operators the query contains, 0 or 1.
        cues: (L, K) the probability that a token expresses an operator: as acted on if its gate is open, else as read.
        scopes: (layers, L, K) the share of heads that put a token in an operator's scope.
        biases: (layers, L, K) added to the attention scores of a token, negative for *not*; mean over heads.
        attention_before: (layers, L) the share of attention that a token receives in the bare encoder.
        attention_after: (layers, L) the same with the biases.
        readout: (L,) the weight of a token in the query's vector: negative subtracts it, 0 ignores it. Without layers,
            only the sign is known.
    """

    query: str
    tokens: tuple[str, ...]
    spans: tuple[Span, ...]
    operators: tuple[str, ...]
    source: Source
    reading: Reading
    plan: BooleanPlan
    gates: Array
    cues: Array
    scopes: Array
    biases: Array
    attention_before: Array
    attention_after: Array
    readout: Array

    @property
    def held(self) -> tuple[str, ...]:
        """The operators whose gate is open."""
        return tuple(name for name, gate in zip(self.operators, self.gates, strict=True) if gate)

    @property
    def added(self) -> tuple[str, ...]:
        """What is excluded although it is not in the query."""
        return tuple(atom.text for atom in self.plan.negatives if atom.span is None)

    @property
    def changed(self) -> bool:
        """Whether anything differs from the bare encoder: a gate is open, or something is subtracted."""
        return bool(self.held or self.added) or bool((self.readout < 0).any())

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        arrays = {name: value.round(6).tolist() for name, value in values.items() if isinstance(value, np.ndarray)}
        return values | arrays | {"reading": self.reading.to_dict(), "plan": self.plan.to_dict()}
