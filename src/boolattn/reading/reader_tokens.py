"""The learned reader's input: token IDs, plus what an uncased tokenizer drops from each token."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

MOST_TOKENS = 96
GLUED, CAPITALS = 1, 2  # bits of a token's type: no space before it ("-word"); all in capitals ("NOT")


class TokenBatch(NamedTuple):
    """Queries as arrays, padded to the longest."""

    ids: NDArray[np.int64]  # (B, L)
    types: NDArray[np.int64]  # (B, L)
    mask: NDArray[np.int64]  # (B, L), 1 for real tokens
    offsets: list[list[tuple[int, int]]]  # the characters of each token; (0, 0) for special tokens


def prepare(tokenizer: Tokenizer) -> Tokenizer:
    """Configure a tokenizer for the reader."""
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    return tokenizer


def token_batch(tokenizer: Tokenizer, queries: Sequence[str], multiple: int = 1) -> TokenBatch:
    """Tokenise queries.

    Args:
        tokenizer: From ``prepare``.
        queries: The texts.
        multiple: The length is rounded up to a multiple of this.
    """
    encodings = tokenizer.encode_batch(list(queries))
    longest = max(len(each.ids) for each in encodings)
    shape = (len(queries), -(-longest // multiple) * multiple)
    ids, types, mask = (np.zeros(shape, np.int64) for _ in range(3))
    for row, (query, each) in enumerate(zip(queries, encodings, strict=True)):
        length = len(each.ids)
        ids[row, :length], types[row, :length], mask[row, :length] = each.ids, _types(query, each), 1
    return TokenBatch(ids, types, mask, [each.offsets for each in encodings])


def _types(query: str, encoding: Encoding) -> list[int]:
    found = []
    for (start, end), token in zip(encoding.offsets, encoding.tokens, strict=True):
        glued = 0 < start < end and not query[start - 1].isspace() and not token.startswith("##")
        word = query[start:end]
        found.append(GLUED * glued + CAPITALS * (len(word) > 1 and word.isupper()))
    return found
