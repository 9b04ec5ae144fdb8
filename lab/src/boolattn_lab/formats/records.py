"""Records shared by several formats."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a corpus; if the corpus identifies documents by title, the title is also the ID."""

    doc_id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """One query."""

    query_id: str
    text: str


class Qrel(NamedTuple):
    """The relevance of a document to a query.

    A named tuple with the field names of ``ir_measures``, which accepts an iterator of these.
    """

    query_id: str
    doc_id: str
    relevance: int
