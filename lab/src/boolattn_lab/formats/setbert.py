"""SetBERT's generated triples: a Boolean sentence, sentences that match it, and sentences that do not."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from boolattn_lab.formats.jsonl import Filled, read_jsonl
from boolattn_lab.formats.skipping import SkipBad


@dataclass(frozen=True, slots=True)
class SetBertTriple:
    """A gold sentence, sentences that match it, and sentences that do not."""

    gold: str
    positives: tuple[str, ...]
    negatives: tuple[str, ...]


class _Row(msgspec.Struct, rename={"gold": "G", "positives": "P", "negatives": "N"}):
    gold: Filled
    positives: tuple[str, ...]
    negatives: tuple[str, ...]


def read_setbert_triples(path: str | Path, skip: SkipBad | None = None) -> Iterator[SetBertTriple]:
    """Read rows ``{"G": ..., "P": [...], "N": [...]}``; there is one file per operator."""
    for row in read_jsonl(path, _Row, skip):
        yield SetBertTriple(row.gold, row.positives, row.negatives)
