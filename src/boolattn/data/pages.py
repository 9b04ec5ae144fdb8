"""Corpora of rows ``{title, text}``: QUEST's ``documents.jsonl``, and introductions of Wikipedia pages."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from boolattn.data.records import Document
from boolattn.data.rows.bad_rows import SkipBad
from boolattn.data.rows.jsonl import Filled, read_jsonl


class _Row(msgspec.Struct):
    title: Filled
    text: str


def read_pages(path: str | Path, skip: SkipBad | None = None) -> Iterator[Document]:
    """Read a corpus whose documents are named by title."""
    for row in read_jsonl(path, _Row, skip):
        yield Document(row.title, row.title, row.text)
