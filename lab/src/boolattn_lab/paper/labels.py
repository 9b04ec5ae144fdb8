"""A query's labels, token by token, in the only form that a loss can receive: a row of integers.

sentence-transformers passes a loss one numeric ``label`` column whose rows have equal length. So a query's labels
are packed into 1 + T numbers, where T is the maximum query length: first the query's bits, then one number
per token. Bits, K operators::

    query    1 << k: it contains operator k
             1 << K: its scopes are known; 1 << (K + 1): it implies another; 1 << (K + 2): it excludes another
             1 << (K + 3 + k): whether it contains operator k is ambiguous
    token    1 << k: it is part of a cue of operator k; 1 << (K + k): it is in the scope of operator k
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from boolattn.reading.spans import token_labels
from boolattn_lab.paper.examples import Question


class TokenLabels(NamedTuple):
    """The labels of a batch, all 0 or 1; 0 at special tokens and padding."""

    gates: Tensor  # (B, K)
    cues: Tensor  # (B, L, K)
    scopes: Tensor  # (B, L, K)
    scopes_known: Tensor  # (B,): otherwise, scopes are meaningless zeros
    implies: Tensor  # (B,): whether the row has a query that this one implies
    excludes: Tensor  # (B,): whether the row has a query that this one excludes
    gates_known: Tensor  # (B, K): otherwise, the gate is ambiguous


def pack(
    question: Question, offsets: Sequence[tuple[int, int]], operators: Sequence[str], query_tokens: int
) -> list[int]:
    """Return the row of one query.

    Args:
        question: The query and its labels.
        offsets: The characters of each of its tokens; (0, 0) for special tokens.
        operators: The model's operators, in the order of its K axis.
        query_tokens: T.
    """
    bits = len(operators)
    known = (question.scopes is not None, bool(question.implied), bool(question.excluded))
    query = sum(int(each) << (bits + place) for place, each in enumerate(known))
    tokens = [0] * query_tokens
    for k, operator in enumerate(operators):
        query |= int(operator in question.operators) << k | int(operator in question.unsure) << (bits + 3 + k)
        for shift, spans in ((k, question.cues), (bits + k, question.scopes or {})):
            for place, inside in enumerate(token_labels(offsets, spans.get(operator, ()))):
                tokens[place] |= int(inside) << shift
    return [query, *tokens]


def unpack(rows: Tensor, operators: int, length: int) -> TokenLabels:
    """Unpack rows (B, 1 + T) to labels, for a batch of ``length`` tokens and K operators."""
    shift = torch.arange(2 * operators + 3, device=rows.device)
    query = (rows[:, 0, None] >> shift) & 1  # (B, 2K + 3)
    tokens = ((rows[:, 1 : 1 + length, None] >> shift) & 1).float()  # (B, L, 2K + 3)
    scopes_known, implies, excludes = query[:, operators : operators + 3].bool().unbind(1)
    return TokenLabels(
        gates=query[:, :operators].float(),
        cues=tokens[..., :operators],
        scopes=tokens[..., operators : 2 * operators],
        scopes_known=scopes_known,
        implies=implies,
        excludes=excludes,
        gates_known=query[:, operators + 3 :] == 0,
    )
