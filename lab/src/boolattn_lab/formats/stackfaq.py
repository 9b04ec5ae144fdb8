"""StackFAQ: Stack Exchange threads with paraphrases of their question."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from boolattn_lab.formats.jsonl import Filled, read_jsonl
from boolattn_lab.formats.skipping import SkipBad


@dataclass(frozen=True, slots=True)
class StackFaqThread:
    """One thread: its question, paraphrases of it, and its answers."""

    question: Filled
    rephrased: tuple[Filled, ...]
    answers: tuple[Filled, ...]


def read_stackfaq(path: str | Path, skip: SkipBad | None = None) -> Iterator[StackFaqThread]:
    """Read ``threads.jsonl``."""
    return read_jsonl(path, StackFaqThread, skip)
