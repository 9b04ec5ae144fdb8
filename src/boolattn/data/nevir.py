"""NevIR: pairs of documents that differ by a negation, with a query for each."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from boolattn.data.rows.bad_rows import SkipBad
from boolattn.data.rows.hub import read_hub
from boolattn.data.rows.jsonl import Filled

HUB_NAME = "orionweller/NevIR"


@dataclass(frozen=True, slots=True)
class NevirPair:
    """Query ``q1`` wants ``doc1`` ranked above ``doc2``, and ``q2`` the other way round."""

    q1: Filled
    q2: Filled
    doc1: Filled
    doc2: Filled


def read_nevir(
    split: Literal["train", "validation", "test"] = "test", source: str | Path = HUB_NAME, skip: SkipBad | None = None
) -> Iterator[NevirPair]:
    """Read a split from the Hub, a local copy of the dataset, or a file of its rows."""
    return read_hub(source, NevirPair, config=None, split=split, skip=skip)
