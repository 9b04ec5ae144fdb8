"""What the reader learns from: a query and what is known of it, which is seldom everything."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Literal, TypeAlias

from boolattn.reading.spans import Span

QueryKind: TypeAlias = Literal["none", "topic", "property"]
KINDS: tuple[QueryKind, ...] = ("none", "topic", "property")
ANY_EXCLUSION: frozenset[QueryKind] = frozenset(["topic", "property"])
NO_TOPIC: frozenset[QueryKind] = frozenset(["none", "property"])

Spans: TypeAlias = Mapping[str, tuple[Span, ...]]
FOLDS = 5
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class ReaderRow:
    """A query to learn from.

    Attributes:
        query: The text.
        kinds: The kinds its exclusion may be of. Labels over pages tell topics from all else, so that a query without
            one is "none" or "property"; a catalog tells exclusions from none, whatever their kind.
        excluded: What it excludes; None where nobody marked it.
        operators: For *and* and *or*, whether the query holds it, where that is known.
        cues: For each operator, the words that express it; None where nobody marked them.
        scopes: For *and* and *or*, the words it applies to; None where nobody marked them.
    """

    query: str
    kinds: frozenset[QueryKind]
    excluded: tuple[Span, ...] | None = None
    operators: Mapping[str, bool] = field(default_factory=dict)
    cues: Spans | None = None
    scopes: Spans | None = None


def digest(query: str) -> str:
    """Return the name by which a query that may not be shipped is known in label files."""
    return hashlib.sha256(query.encode()).hexdigest()


def fold_of(query: str) -> int:
    """Return which of the five fixed folds a query belongs to."""
    return int(digest(query)[:8], 16) % FOLDS


def with_noise(row: ReaderRow, rng: Random) -> ReaderRow:
    """Return the row as someone in a hurry would type it: another case, or letters swapped or mistyped.

    The length stays the same, and with it every span.
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
    if len(changed) != len(query):  # as capitals of some letters are two
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
