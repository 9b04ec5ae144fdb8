"""The queries and the documents, chosen by hash: the same ones on every machine."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import nsmallest
from typing import NamedTuple

from boolattn_lab.formats.catalogs import read_pages
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.hashed_labels import digest
from boolattn_lab.formats.query_labels import read_query_labels
from boolattn_lab.formats.records import Document

DOCUMENTS = 50_000
_OPERATOR = re.compile(r"(?<!\w)(?:and|or|&)(?!\w)", re.IGNORECASE)  # "and/or" too, but not "R&D" or "or-gate"


class Source(NamedTuple):
    """Queries of one origin.

    Attributes:
        folder: Their folder in the data.
        most: How many to take.
        holds: Whether a query is one of them.
    """

    folder: str
    most: int
    holds: Callable[[str], bool]


def has_operator(query: str) -> bool:
    """Whether a query contains "and", "or" or "&" as a word."""
    return _OPERATOR.search(query) is not None


def is_only_a_list(query: str) -> bool:
    """Whether a query contains a comma, but no such word."""
    return "," in query and not has_operator(query)


SOURCES: Mapping[str, Source] = {
    "real questions": Source("real-queries", 1000, has_operator),
    "web searches": Source("web-queries", 300, has_operator),
    "shop searches": Source("shop", 300, has_operator),
    "real questions, only commas": Source("real-queries", 300, is_only_a_list),
}
"""Where queries come from; if a source has fewer, all are taken."""


def choose_queries(data: DataFolder) -> dict[str, list[str]]:
    """Return source -> queries: those with the smallest SHA-256 of their text, each once."""
    return {name: list(_smallest(_queries(data, each), each.most)) for name, each in SOURCES.items()}


def choose_introductions(data: DataFolder, most: int = DOCUMENTS) -> list[Document]:
    """Return Wikipedia introductions: those with the smallest SHA-256 of their title, one for each title."""
    pages = {page.title: page for page in read_pages(data.path / "wiki-intros" / "wiki_intros.jsonl.zst", data.skip)}
    return [pages[title] for title in _smallest(pages, most)]


def _queries(data: DataFolder, source: Source) -> Iterator[str]:
    rows = read_query_labels(data.path / source.folder / "queries.jsonl.zst", data.skip)
    return (row.query for row in rows if source.holds(row.query))


def _smallest(texts: Iterable[str], most: int) -> list[str]:
    return nsmallest(most, dict.fromkeys(texts), key=digest)
