"""Queries labelled with what they exclude: JSONL of ``{"query", "excluded": [substrings], "soft", "kind"}``."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from boolattn.reading.reading import Documents
from boolattn.retrieval.corpus.bad_rows import BadRowError, Place
from boolattn_lab.formats.jsonl import Filled, read_jsonl
from boolattn_lab.formats.skipping import SkipBad

DETERMINERS = (
    *("a", "an", "the", "any", "some", "another", "this", "that", "these", "those"),
    *("my", "your", "his", "her", "its", "our", "their"),
)
"""Words in front of what is excluded, with which some labels begin and others do not."""


@dataclass(frozen=True, slots=True)
class QueryLabels:
    """One query and its labels.

    Attributes:
        query: The text.
        excluded: Substrings of the query that name what it excludes; empty if it excludes nothing, None if unlabelled.
        soft: Whether annotators would disagree about the label.
        kind: The kind of exclusion, if the file has kinds.
        documents: What the searcher asks for, if the file says so: things, or pages.
    """

    query: Filled
    excluded: tuple[Filled, ...] | None = None
    soft: bool = False
    kind: Literal["topic", "property", "none"] | None = None
    documents: Documents | None = None


def read_query_labels(path: str | Path, skip: SkipBad | None = None) -> Iterator[QueryLabels]:
    """Read a file of queries, in which all rows must be labelled, or none."""
    return read_jsonl(path, QueryLabels, skip, _checker())


def locate(query: str, text: str) -> tuple[int, int] | None:
    """Return the span of a labelled text: whole words if possible, otherwise part of a word ("egg" in "eggless")."""
    piece = re.escape(text)
    found = re.search(rf"(?<!\w){piece}(?!\w)", query, re.IGNORECASE) or re.search(piece, query, re.IGNORECASE)
    return found.span() if found else None


def _checker() -> Callable[[Place, QueryLabels], None]:
    labelled: bool | None = None  # as in the file's first good row

    def check(place: Place, row: QueryLabels) -> None:
        nonlocal labelled
        for text in row.excluded or ():
            if locate(row.query, text) is None:
                raise BadRowError(place, "excluded", f"{text!r} does not occur in the query")
        if labelled is None:
            labelled = row.excluded is not None
        elif labelled and row.excluded is None:
            raise BadRowError(place, "excluded", "missing, but earlier rows have it: use [] if nothing is excluded")
        elif not labelled and row.excluded is not None:
            raise BadRowError(place, "excluded", "present, but missing in earlier rows: label every row or none")

    return check
