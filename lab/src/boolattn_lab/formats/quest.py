"""QUEST: queries whose template names the operators. LIMIT+ uses the same format."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from boolattn_lab.formats.jsonl import Filled, read_jsonl
from boolattn_lab.formats.skipping import SkipBad


@dataclass(frozen=True, slots=True)
class QuestQuery:
    """One QUEST query.

    Attributes:
        query: The query as worded by a person.
        docs: Titles of the documents that answer it.
        template: How its atoms are combined, such as ``"_ that are not _"``.
        original_query: The query as worded by the template, with atoms between ``<mark>`` and ``</mark>``, if known.
        domain: The kind of entities asked for, such as ``"films"``, if known.
    """

    query: str
    docs: tuple[str, ...]
    template: str
    original_query: str | None
    domain: str | None


class _Metadata(msgspec.Struct):
    template: Filled
    domain: str | None = None


class _QueryRow(msgspec.Struct):
    query: Filled
    docs: tuple[str, ...]
    metadata: _Metadata
    original_query: str | None = None


def read_quest_queries(path: str | Path, skip: SkipBad | None = None) -> Iterator[QuestQuery]:
    """Read QUEST's ``train.jsonl``, ``val.jsonl`` or ``test.jsonl``, or the queries of LIMIT+."""
    for row in read_jsonl(path, _QueryRow, skip):
        yield QuestQuery(row.query, row.docs, row.metadata.template, row.original_query, row.metadata.domain)
