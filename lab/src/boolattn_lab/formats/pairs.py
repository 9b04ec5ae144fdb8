"""Queries with a wanted and an excluded document: NevIR, ExcluIR, and files of such pairs."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import msgspec

from boolattn.retrieval.corpus.bad_rows import WHOLE_ROW, BadRowError, Place
from boolattn.retrieval.corpus.files import open_bytes
from boolattn_lab.formats.hub import read_hub
from boolattn_lab.formats.jsonl import Filled, check_row, read_jsonl
from boolattn_lab.formats.records import Document
from boolattn_lab.formats.skipping import SkipBad, keep_good

HUB_NAME = "orionweller/NevIR"


@dataclass(frozen=True, slots=True)
class NevirPair:
    """Query ``q1`` should rank ``doc1`` above ``doc2``, and ``q2`` the reverse."""

    q1: Filled
    q2: Filled
    doc1: Filled
    doc2: Filled


def read_nevir(
    split: Literal["train", "validation", "test"] = "test", source: str | Path = HUB_NAME, skip: SkipBad | None = None
) -> Iterator[NevirPair]:
    """Read a split from the Hub, a local copy of the dataset, or a file of its rows."""
    return read_hub(source, NevirPair, config=None, split=split, skip=skip)


@dataclass(frozen=True, slots=True)
class ExcluirQuery:
    """One exclusionary query.

    Attributes:
        query: The query, including what it excludes.
        source_question: The HotpotQA question it was derived from.
        wanted: ID of the document that should rank higher.
        excluded: ID of the document that the query excludes.
    """

    query: str
    source_question: str
    wanted: str
    excluded: str


class _Row(msgspec.Struct, rename={"query": "RQ_rewrite", "source_question": "question0", "pair": "corpus_sub_index"}):
    query: Filled
    source_question: str
    pair: tuple[int, int]


class DocumentPair(msgspec.Struct, frozen=True, rename={"wanted": "doc1", "excluded": "doc2"}):
    """One query with a wanted and an excluded document."""

    query: Filled
    wanted: Filled
    excluded: Filled


def read_document_pairs(path: str | Path, skip: SkipBad | None = None) -> Iterator[DocumentPair]:
    """Read JSONL of ``query``, ``doc1`` (wanted) and ``doc2`` (excluded)."""
    return read_jsonl(path, DocumentPair, skip)


def read_excluir_queries(path: str | Path, skip: SkipBad | None = None) -> Iterator[ExcluirQuery]:
    """Read ``test_manual_final.json``."""
    return keep_good(_items(path), _query, skip)


def read_excluir_corpus(path: str | Path, skip: SkipBad | None = None) -> Iterator[Document]:
    """Read ``corpus.json``, a list of texts; queries refer to them by position, from 0."""
    return keep_good(_items(path), _document, skip)


def _query(place: Place, item: Any) -> ExcluirQuery:
    row = check_row(place, item, _Row)
    # The authors list the excluded document first; their evaluation counts the second as relevant.
    excluded, wanted = map(str, row.pair)
    return ExcluirQuery(row.query, row.source_question, wanted=wanted, excluded=excluded)


def _document(place: Place, item: Any) -> Document:
    return Document(str(place.number - 1), "", check_row(place, item, str))


def _items(path: str | Path) -> Iterator[tuple[Place, Any]]:
    """Stream the items of a file that is one JSON list."""
    import ijson  # type: ignore[import-untyped]  # of the extra evaluation, which encoding documents does without

    place = Place(str(path), 1, "row")
    with open_bytes(path) as stream:
        try:
            events = ijson.parse(stream, use_float=True)
            first = next(events)
            if first[1] != "start_array":
                raise BadRowError(place, WHOLE_ROW, "expected the file to be one JSON list, [...]")
            for item in ijson.items(chain([first], events), "item"):
                yield place, item
                place = place._replace(number=place.number + 1)
        except ijson.JSONError as error:
            raise BadRowError(place, WHOLE_ROW, f"expected JSON ({error})") from error
