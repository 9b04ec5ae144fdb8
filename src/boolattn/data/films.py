"""Films with their year, cast, genres and the opening of their Wikipedia page."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from boolattn.data.rows.bad_rows import SkipBad
from boolattn.data.rows.jsonl import Filled, read_jsonl


@dataclass(frozen=True, slots=True)
class Film:
    """One film; neither ``title`` nor ``href``, the name of its page, is unique."""

    title: Filled
    year: int
    cast: tuple[str, ...]
    genres: tuple[str, ...]
    href: str
    extract: str


def read_films(path: str | Path, skip: SkipBad | None = None) -> Iterator[Film]:
    """Read ``films.jsonl``."""
    return read_jsonl(path, Film, skip)
