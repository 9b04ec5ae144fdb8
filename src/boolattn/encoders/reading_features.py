"""What a reading is called among a model's features, and how it is put together there."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from boolattn.attention import Trace
from boolattn.encoders.labelled_query import LabelledQuery
from boolattn.encoders.readout import UNWANTED, WANTED
from boolattn.encoders.spoken_of import Layout, layout_of, spoken_of
from boolattn.encoders.token_reading import Offsets, TokenReading, exclusion_reading, reading_on_tokens
from boolattn.operators import NOT, OPERATORS
from boolattn.reading.rules.rule_reader import read_by_rules
from boolattn.reading.understanding import Excluded, excluded_by_syntax

GATES, CUES, SCOPES = "boolean_gates", "boolean_cues", "boolean_scopes"
HINTS = "boolean_hints"  # what rules make of a query, for the learned reader
SETTLED = "boolean_settled"  # the queries that need no reader: their caller, or explicit syntax, says what they exclude
OWN = "boolean_own_tokens"  # (B, L): 1 for tokens of the query itself, which alone it can speak of
LAYOUT = "boolean_layout"  # (B, L, 2): where each token stands among brackets and commas
TRACE = "boolean_trace"  # what the reader or the mechanism found, for losses to look at

TRUSTED_CONFIDENCE = 0.5  # a guess below this is more likely wrong than right
SURE_OF_NONE = 0.1  # the gate below which the reader overrules the rules, as it does for nearly all harmless wordings


def for_reader(queries: Sequence[str], excluded: Sequence[Excluded | None], offsets: Offsets) -> dict[str, Tensor]:
    """Return what the learned reader is told.

    Args:
        queries: The queries.
        excluded: What is settled: for such a query, what it excludes; None where the reader is to find out.
        offsets: For each query, the characters of each token; (0, 0) for special tokens, a prompt's and padding.
    """
    found = exclusion_reading([each or Excluded() for each in excluded], offsets)
    said = [[float(isinstance(query, LabelledQuery) and NOT.name in query.operators)] for query in queries]
    is_settled = torch.tensor([each is not None for each in excluded])
    by_rules = reading_on_tokens([read_by_rules(query) for query in queries], offsets)
    gates = by_rules.gates[:, None].expand_as(by_rules.cues)  # (B, L, K)
    return {
        GATES: torch.where(is_settled[:, None], found.gates, torch.tensor(said)),
        CUES: found.cues,
        SCOPES: found.scopes,
        SETTLED: is_settled,
        HINTS: torch.cat([by_rules.cues, by_rules.scopes, gates], dim=-1),
        OWN: torch.tensor([[float(first < last) for first, last in row] for row in offsets]),
        LAYOUT: torch.tensor(
            [[layout_of(query, *place) for place in row] for query, row in zip(queries, offsets, strict=True)]
        ),
    }


def settled(query: Any, longest: int) -> Excluded | None:
    """Return what a query excludes if its caller or its explicit syntax says so."""
    if not isinstance(query, str):
        return Excluded()
    if isinstance(query, LabelledQuery):
        if query.excluded is not None:
            return query.excluded
        if NOT.name not in query.operators:
            return Excluded()
    return excluded_by_syntax(query[:longest])


def exclusions_read(features: dict[str, Any]) -> TokenReading:
    """Return what each query excludes (K = 1): as settled, else as read; no token in scope, no open gate."""
    found = certain(features).of(list(OPERATORS).index(NOT.name))
    is_settled = features[SETTLED].to(found.gates.device)[:, None]  # (B, 1)
    cues, scopes = (
        torch.where(is_settled[..., None], features[name].to(read), read)
        for name, read in ((CUES, found.cues), (SCOPES, found.scopes))
    )
    said = features[GATES].to(found.gates)
    gates = torch.where(is_settled, said, torch.maximum(said, found.gates)) * scopes.amax(dim=1)
    return TokenReading(gates, cues, scopes)


def certain(features: dict[str, Any]) -> TokenReading:
    """Return what the learned reader is sure of, as 0 and 1, for all operators; nothing outside the query itself."""
    trace: Trace = features[TRACE]
    own = features[OWN][..., None]
    cues, scopes = ((each > TRUSTED_CONFIDENCE) * own for each in (trace.cues, trace.scopes[-1][:, :, 0]))
    column = list(OPERATORS).index(NOT.name)
    for row in scopes[..., column].any(dim=1).nonzero()[:, 0].tolist():
        layout = [Layout(*where) for where in features[LAYOUT][row].tolist()]
        kept = spoken_of(cues[row, :, column].bool().tolist(), scopes[row, :, column].bool().tolist(), layout)
        scopes[row, :, column] = torch.tensor(kept).to(scopes)
    found = TokenReading(*(each.to(trace.gates) for each in (trace.gates > TRUSTED_CONFIDENCE, cues, scopes)))
    return _with_rules(found, features, column)


def _with_rules(found: TokenReading, features: dict[str, Any], column: int) -> TokenReading:
    """Let the rules' exclusion stand where the reader finds none without being sure: "films without war"."""
    cues, scopes, gates = features[HINTS].to(found.cues).chunk(3, dim=-1)  # (B, L, K) each
    nothing = (found.gates[:, column] * found.scopes[..., column].amax(dim=1)) == 0  # (B,)
    unsure = (features[TRACE].gates[:, column] > SURE_OF_NONE) | (features[GATES].to(found.gates)[:, 0] > 0)
    stands = nothing & unsure & (scopes[..., column].amax(dim=1) > 0)
    for mine, theirs in ((found.gates, gates.amax(dim=1)), (found.cues, cues), (found.scopes, scopes)):
        mine[stands, ..., column] = theirs[stands, ..., column]
    return found


def mechanism_reading(trace: Trace) -> TokenReading:
    """Return what the mechanism read: its cues, and the scopes of its last layer, which has read most, over heads."""
    scopes = trace.scopes[-1].mean(dim=2) if trace.scopes else torch.zeros_like(trace.cues)  # (B, L, K)
    return TokenReading(trace.gates, trace.cues, scopes)


def wanted_tokens(found: TokenReading, column: int, mask: Tensor) -> dict[str, Tensor]:
    """Return, of the mechanism's reading, what the readout needs: which real tokens are wanted, and which not."""
    gate = found.gates[:, column, None]  # (B, 1)
    cue, scope = found.cues[..., column] * gate, found.scopes[..., column] * gate  # (B, L)
    return {WANTED: mask * (1 - cue) * (1 - scope), UNWANTED: mask * scope}
