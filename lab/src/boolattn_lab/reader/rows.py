"""The reader's training data: queries with partial labels, and batches of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from boolattn.operators import AND, NOT, OR
from boolattn.reading.learned import token_batch
from boolattn.reading.spans import Span, token_labels
from boolattn_lab.formats.hashed_labels import digest

QueryKind: TypeAlias = Literal["none", "topic", "property"]
KINDS: tuple[QueryKind, ...] = ("none", "topic", "property")
ANY_EXCLUSION: frozenset[QueryKind] = frozenset(["topic", "property"])
NO_TOPIC: frozenset[QueryKind] = frozenset(["none", "property"])

Spans: TypeAlias = Mapping[str, tuple[Span, ...]]
FOLDS = 5
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

JOINING = (AND.name, OR.name)
CUES = (AND.name, OR.name, NOT.name)
LENGTH_MULTIPLE = 8  # lengths that suit the CPU's matrix units
POOL = 20  # batches drawn together and sorted by length, to reduce padding


@dataclass(frozen=True, slots=True)
class ReaderRow:
    """A training query.

    Attributes:
        query: The text.
        kinds: The possible kinds of its exclusion. Labels for pages separate topics from the rest, so a query without
            one is "none" or "property"; a catalog separates exclusions from none, whatever their kind.
        excluded: What it excludes; None if unlabelled.
        operators: For *and* and *or*, whether the query contains it, if known.
        cues: For each operator, the words that express it; None if unlabelled.
        scopes: For *and* and *or*, the words it applies to; None if unlabelled.
    """

    query: str
    kinds: frozenset[QueryKind]
    excluded: tuple[Span, ...] | None = None
    operators: Mapping[str, bool] = field(default_factory=dict)
    cues: Spans | None = None
    scopes: Spans | None = None


def fold_of(query: str) -> int:
    """Return which of the five fixed folds a query belongs to."""
    return int(digest(query)[:8], 16) % FOLDS


def with_noise(row: ReaderRow, rng: Random) -> ReaderRow:
    """Return the row as typed in a hurry: other case, or letters swapped or mistyped.

    The length does not change, so spans stay valid.
    """
    drawn, query = rng.random(), row.query
    if drawn < 0.12:
        changed = query.lower()
    elif drawn < 0.15:
        changed = query.upper()
    elif drawn < 0.35:
        changed = _mistyped(query, rng)
    else:
        return row
    if len(changed) != len(query):  # some letters have two-letter capitals
        return row
    return ReaderRow(changed, row.kinds, row.excluded, row.operators, row.cues, row.scopes)


def _mistyped(query: str, rng: Random) -> str:
    letters = list(query)
    for _ in range(1 if rng.random() < 0.7 else 2):
        place = rng.randrange(max(1, len(letters) - 1))
        pair = letters[place : place + 2]
        if len(pair) == 2 and all(letter.isalpha() for letter in pair):
            letters[place : place + 2] = pair[::-1] if rng.random() < 0.6 else [rng.choice(_LETTERS), pair[1]]
    return "".join(letters)


def batches_of(rows: Sequence[ReaderRow], size: int, rng: Random) -> list[list[ReaderRow]]:
    """Shuffle rows into batches of similar length, in random order."""
    shuffled = rng.sample(rows, len(rows))
    found = []
    for start in range(0, len(shuffled), size * POOL):
        pool = sorted(shuffled[start : start + size * POOL], key=lambda row: len(row.query))
        found += [pool[place : place + size] for place in range(0, len(pool), size)]
    rng.shuffle(found)
    return found


def tensors_of(tokenizer: Tokenizer, rows: Sequence[ReaderRow]) -> dict[str, Tensor]:
    """Return a batch's inputs and labels."""
    batch = token_batch(tokenizer, [row.query for row in rows], LENGTH_MULTIPLE)
    shape = batch.ids.shape
    arrays: dict[str, NDArray[np.float32]] = {
        "kinds": np.array([[kind in row.kinds for kind in KINDS] for row in rows], np.float32),
        "operators": np.array([[row.operators.get(name, False) for name in JOINING] for row in rows], np.float32),
        "operators_known": np.array([[name in row.operators for name in JOINING] for row in rows], np.float32),
        "token_kinds": np.zeros((*shape, 3), np.float32),
        "token_known": np.zeros(shape, np.float32),
    }
    for name, width in (("cues", 3), ("cues_known", 3), ("scopes", 2), ("scopes_known", 2)):
        arrays[name] = np.zeros((*shape, width), np.float32)
    for place, (row, offsets) in enumerate(zip(rows, batch.offsets, strict=True)):
        label_tokens({name: array[place] for name, array in arrays.items()}, row, offsets)
    inputs = {"ids": batch.ids, "types": batch.types, "mask": batch.mask}
    return {name: torch.from_numpy(array) for name, array in (inputs | arrays).items()}


def label_tokens(arrays: dict[str, NDArray[np.float32]], row: ReaderRow, offsets: list[tuple[int, int]]) -> None:
    """Fill in the known labels of one query's tokens; special tokens have none."""
    length = len(offsets)
    own = np.array([start < end for start, end in offsets])

    def marked(spans: Sequence[Span]) -> NDArray[np.bool_]:
        return np.array(token_labels(offsets, spans)) if spans else np.zeros(length, bool)

    if row.excluded is not None:
        inside = marked(row.excluded)
        arrays["token_known"][:length] = own
        # A query that may contain an unlabelled property may contain it anywhere outside the labelled spans.
        arrays["token_kinds"][:length] = (1, 0, "property" in row.kinds and "none" in row.kinds)
        arrays["token_kinds"][:length][inside] = (0, "topic" in row.kinds, "property" in row.kinds)
    if row.cues is not None:
        for column, name in enumerate(CUES):
            if name == NOT.name or name in row.operators:
                arrays["cues_known"][:length, column] = own
                arrays["cues"][:length, column] = marked(row.cues.get(name, ()))
    if row.scopes is not None:
        for column, name in enumerate(JOINING):
            if name in row.operators:
                arrays["scopes_known"][:length, column] = own
                arrays["scopes"][:length, column] = marked(row.scopes.get(name, ()))
