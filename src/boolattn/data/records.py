"""The records that many formats share."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a corpus; where the corpus names documents by title alone, the title is also the id."""

    doc_id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """One query."""

    query_id: str
    text: str


class Qrel(NamedTuple):
    """How relevant a document is to a query.

    A named tuple with the field names of ``ir_measures``, which therefore takes an iterator of these as it is.
    """

    query_id: str
    doc_id: str
    relevance: int
