"""StackFAQ: Stack Exchange threads with paraphrases of their question."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from boolattn.data.rows.bad_rows import SkipBad
from boolattn.data.rows.jsonl import Filled, read_jsonl


@dataclass(frozen=True, slots=True)
class StackFaqThread:
    """One thread: its question, paraphrases of it, and its answers."""

    question: Filled
    rephrased: tuple[Filled, ...]
    answers: tuple[Filled, ...]


def read_stackfaq(path: str | Path, skip: SkipBad | None = None) -> Iterator[StackFaqThread]:
    """Read ``threads.jsonl``."""
    return read_jsonl(path, StackFaqThread, skip)
