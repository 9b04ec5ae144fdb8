"""What is known of a query, token by token, in the one form that reaches a loss: a row of whole numbers.

sentence-transformers hands a loss one numeric ``label`` column whose rows are all of one length. So a query's labels
are packed into 1 + T numbers, T being the longest query the model reads: first the query's own bits, then one number
per token. Bits, K operators::

    query    1 << k: it holds operator k
             1 << K: its scopes are known; 1 << (K + 1): it implies another; 1 << (K + 2): it excludes another
             1 << (K + 3 + k): nobody is sure whether it holds operator k
    token    1 << k: it is part of a cue of operator k; 1 << (K + k): operator k speaks of it
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from boolattn.reading.spans import token_labels
from boolattn.training.examples import Question


class TokenLabels(NamedTuple):
    """The labels of a batch, all 0 or 1; nothing at special tokens and padding."""

    gates: Tensor  # (B, K)
    cues: Tensor  # (B, L, K)
    scopes: Tensor  # (B, L, K)
    scopes_known: Tensor  # (B,): elsewhere, scopes are zeros that mean nothing
    implies: Tensor  # (B,): whether the row brings a query that this one implies
    excludes: Tensor  # (B,): likewise, one that it excludes
    gates_known: Tensor  # (B, K): elsewhere, people would not agree on the gate


def pack(
    question: Question, offsets: Sequence[tuple[int, int]], operators: Sequence[str], query_tokens: int
) -> list[int]:
    """Return the row of one query.

    Args:
        question: What is known.
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
    """Return the labels of rows (B, 1 + T), for a batch of ``length`` tokens and K operators."""
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
