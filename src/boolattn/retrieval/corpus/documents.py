"""A corpus of any supported format as documents: an id, a title, a text, and further fields to filter by."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from boolattn.data.rows.bad_rows import WHOLE_ROW, BadRowError, Place
from boolattn.retrieval.corpus.files import Row, rows_of
from boolattn.retrieval.corpus.metadata import common_kind, converted, kind_of, scalar_of
from boolattn.retrieval.index.protocol import Kind, Value

NUMBERED = "#"  # in the place of the name of the id's field: documents are numbered from "0"
_IDS = ("_id", "id", "doc_id")


class BadDocumentError(BadRowError):
    """A row that is no document, or one whose id another has."""

    def __str__(self) -> str:
        return f"{self.place}, field {self.field!r}: {self.problem}"


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """One document of a corpus, and its further fields."""

    doc_id: str
    title: str
    text: str
    metadata: Mapping[str, Value]

    def to_encode(self) -> str:
        """Return what a model reads."""
        return f"{self.title}. {self.text}" if self.title and self.text else self.title or self.text


@dataclass(frozen=True, slots=True)
class Fields:
    """Which fields of a row are its id, title and text; ``NUMBERED`` for ids that are counted."""

    id: str = ""
    title: str = "title"
    text: str = "text"


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus that has been read once, and found to be in order.

    Attributes:
        path: A ``.jsonl`` (plain, ``.gz`` or ``.zst``) or ``.parquet`` file, a BEIR folder, or a folder of such files.
        fields: Where id, title and text are.
        documents: How many there are.
        metadata: The other fields, and what they hold; a field that holds now this, now that is text.
    """

    path: Path
    fields: Fields
    documents: int = 0
    metadata: Mapping[str, Kind] = field(default_factory=dict)


class CorpusReader:
    """Reads pieces of a corpus; going forward, it reads every file once, however many pieces there are."""

    def __init__(self, corpus: Corpus) -> None:
        """Stand at the first document."""
        self.corpus = corpus
        self._rows, self._next = rows_of(corpus.path), 0

    def read(self, start: int, count: int) -> list[CorpusDocument]:
        """Return so many documents from one on, each further field of the kind it has over the whole corpus."""
        if start < self._next:
            self._rows, self._next = rows_of(self.corpus.path), 0
        ahead = start - self._next
        rows = list(islice(self._rows, ahead, ahead + count))
        self._next = start + count
        return [self._document(number, place, row) for number, (place, row) in enumerate(rows, start)]

    def _document(self, number: int, place: Place, row: Row) -> CorpusDocument:
        found, kinds = _document(place, number, _values(place, row), self.corpus.fields), self.corpus.metadata
        fields = {name: converted(value, kinds[name]) for name, value in found.metadata.items()}
        return replace(found, metadata=fields)


def survey(path: str | Path, fields: Fields | None = None) -> Corpus:
    """Read a corpus through, so that a fault in its last row shows before the first is encoded.

    Args:
        path: The corpus.
        fields: Where id, title and text are; by default the id is "_id", "id" or "doc_id", as the first row has it.
    """
    path, fields = Path(path), fields or Fields()
    kinds: dict[str, Kind] = {}
    hashes = array("q")  # eight bytes for each id, for there may be a billion
    for number, (place, row) in enumerate(rows_of(path)):
        values = _values(place, row)
        if not fields.id:
            fields = Fields(_id_field(place, values), fields.title, fields.text)
        document = _document(place, number, values, fields)
        hashes.append(hash(document.doc_id))
        for name, value in document.metadata.items():
            kinds[name] = common_kind(kinds.get(name, kind_of(value)), kind_of(value))
    if not hashes:
        raise ValueError(f"{path} holds no documents")
    _require_ids_of_their_own(path, fields, hashes)
    return Corpus(path, fields, len(hashes), dict(sorted(kinds.items())))


def _require_ids_of_their_own(path: Path, fields: Fields, hashes: "array[int]") -> None:
    """Raise at the first document whose id one before it has; only ids of equal hashes are looked at."""
    ordered = np.frombuffer(hashes, np.int64)
    ordered.sort()
    suspects = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
    seen: set[str] = set()
    for number, (place, row) in enumerate(rows_of(path) if suspects else ()):
        doc_id = _document(place, number, _values(place, row), fields).doc_id
        if doc_id in seen:
            raise BadDocumentError(
                place,
                fields.id,
                f"a document before it has the id {doc_id!r}, too. Name a field whose values are all different with "
                f"--id, or number the documents with --id '{NUMBERED}'",
            )
        if hash(doc_id) in suspects:
            seen.add(doc_id)


def _values(place: Place, row: Row) -> dict[str, Any]:
    if isinstance(row, dict):
        return row
    try:
        return msgspec.json.decode(row, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadDocumentError(place, WHOLE_ROW, f"expected one JSON object ({error})") from error


def _id_field(place: Place, values: Mapping[str, Any]) -> str:
    for name in _IDS:
        if name in values:
            return name
    raise BadDocumentError(
        place,
        _IDS[0],
        f"no id: expected one of {', '.join(_IDS)}, got {', '.join(values)}. Name the id's field with --id, or number "
        f"the documents with --id '{NUMBERED}'",
    )


def _document(place: Place, number: int, values: Mapping[str, Any], fields: Fields) -> CorpusDocument:
    """Make a document of a row; its further fields are of the kinds they have here."""
    doc_id = str(number) if fields.id == NUMBERED else _text(place, values, fields.id, "--id")
    if not doc_id:
        raise BadDocumentError(place, fields.id, "the id is empty: every document needs one")
    # Many corpora have no titles; a field that was asked for by another name must be there.
    titled = fields.title in values or fields.title != "title"
    rest = {
        name: scalar_of(value) for name, value in values.items() if name not in (fields.id, fields.title, fields.text)
    }
    return CorpusDocument(
        doc_id,
        _text(place, values, fields.title, "--title") if titled else "",
        _text(place, values, fields.text, "--text"),
        {name: value for name, value in rest.items() if value is not None},
    )


def _text(place: Place, values: Mapping[str, Any], name: str, option: str) -> str:
    if name not in values:
        raise BadDocumentError(
            place, name, f"there is no such field, but {', '.join(values)}. Name the right one with {option}"
        )
    value = scalar_of(values[name])
    if value is None and values[name] not in (None, []):
        raise BadDocumentError(place, name, f"expected text, got {type(values[name]).__name__}")
    return "" if value is None else str(value)
