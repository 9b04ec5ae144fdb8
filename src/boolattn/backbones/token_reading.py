"""Convert the reading of a query between characters and the mechanism's token tensors."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import torch
from sentence_transformers.base.modules import Transformer
from torch import Tensor

from boolattn.attention import Trace
from boolattn.backbones.signed_pooling import UNWANTED, WANTED
from boolattn.operators import NOT, OPERATORS
from boolattn.reading.reading import Exclusion, Reading, Source
from boolattn.reading.spans import Span, marked_words, token_labels

# The features that carry a reading through a model.
GATES, CUES, SCOPES = "boolean_gates", "boolean_cues", "boolean_scopes"
TRACE = "boolean_trace"  # the mechanism's trace, for the losses

Offsets = Sequence[Sequence[tuple[int, int]]]


class TokenReading(NamedTuple):
    """Which operators each query contains, which tokens express them, and which are in their scope."""

    gates: Tensor  # (B, K)
    cues: Tensor  # (B, L, K)
    scopes: Tensor  # (B, L, K)

    def covered(self) -> Tensor:
        """Return the tokens of cue or scope (B, L, K): *not* reduces attention to both."""
        return torch.maximum(self.cues, self.scopes)


def exclusions_on_tokens(readings: Sequence[Reading], offsets: Offsets) -> TokenReading:
    """Convert exclusions to token tensors, with *not* as the only operator; a gate without tokens in scope is closed.

    Args:
        readings: The reading of each query.
        offsets: For each query, the character span of each token; (0, 0) for special tokens and padding.
    """
    cues = _labels([each.cues[NOT.name] for each in readings], offsets)
    scopes = _labels(
        [[exclusion.span for exclusion in each.exclusions if exclusion.span] for each in readings], offsets
    )
    return TokenReading(scopes.amax(dim=1), cues, scopes)


def reading_on_characters(
    found: TokenReading,
    offsets: Sequence[tuple[int, int]],
    text: str,
    confidence: float,
    source: Source,
    reader: str,
) -> Reading:
    """Convert the reading of one query, a batch of one with all operators, back to characters.

    Words are marked as a whole or not at all. A *not* with an empty scope is dropped, and so are cues and scopes of
    operators that the query does not contain, which are only guesses.
    """
    cues, scopes = (
        {
            name: marked_words(text, offsets, marks[0, :, k].tolist()) if found.gates[0, k] else ()
            for k, name in enumerate(OPERATORS)
        }
        for marks in (found.cues, found.scopes)
    )
    if not scopes[NOT.name]:
        cues[NOT.name] = ()
    held = frozenset(
        name for k, name in enumerate(OPERATORS) if found.gates[0, k] and (name != NOT.name or scopes[name])
    )
    exclusions = tuple(Exclusion(span, "topic", confidence) for span in scopes[NOT.name])
    return Reading(text, held, cues, scopes, exclusions, confidence, source, reader)


def with_offsets(
    transformer: Transformer, queries: Sequence[Any], prompt: str = "", **kwargs: Any
) -> tuple[dict[str, Any], Offsets]:
    """Tokenise, and also return the character span of each token; (0, 0) for tokens outside the query."""
    tokenizer: Any = transformer.tokenizer
    if not tokenizer.is_fast:
        raise ValueError("readings need token offsets: load the model with a fast tokenizer")
    settings = dict(kwargs.pop("processing_kwargs", None) or {})
    settings["text"] = dict(settings.get("text") or {}) | {"return_offsets_mapping": True}
    features = transformer.preprocess(queries, prompt=prompt, processing_kwargs=cast(Any, settings), **kwargs)
    rows = features.pop("offset_mapping").tolist()
    texts = [prompt + query if isinstance(query, str) else "" for query in queries]
    return features, [in_text(text, row, len(prompt)) for text, row in zip(texts, rows, strict=True)]


def in_text(text: str, offsets: Sequence[Sequence[int]], start: int = 0) -> list[tuple[int, int]]:
    """Return the character span of each token, relative to the query's ``start``; (0, 0) for tokens before it.

    Some tokenizers include the space before a word. It is removed, because it may belong to a neighbouring span.
    """
    found = []
    for first, last in offsets:
        first += len(text[first:last]) - len(text[first:last].lstrip())
        found.append((max(first - start, 0), max(last - start, 0)))
    return found


def _labels(spans: Sequence[Sequence[Span]], offsets: Offsets) -> Tensor:
    """Return (B, L, 1): 1 if a token shares a character with one of its query's spans."""
    rows = [token_labels(row, chosen) for row, chosen in zip(offsets, spans, strict=True)]
    return torch.tensor(rows, dtype=torch.float).unsqueeze(-1)


def mechanism_reading(trace: Trace) -> TokenReading:
    """Return the mechanism's reading: its gates, its cues, and the last layer's scopes averaged over heads."""
    scopes = trace.scopes[-1].mean(dim=2) if trace.scopes else torch.zeros_like(trace.cues)  # (B, L, K)
    return TokenReading(trace.gates, trace.cues, scopes)


def wanted_tokens(found: TokenReading, column: int, mask: Tensor) -> dict[str, Tensor]:
    """Return the readout's inputs: which real tokens are wanted, and which are unwanted."""
    gate = found.gates[:, column, None]  # (B, 1)
    cue, scope = found.cues[..., column] * gate, found.scopes[..., column] * gate  # (B, L)
    return {WANTED: mask * (1 - cue) * (1 - scope), UNWANTED: mask * scope}
