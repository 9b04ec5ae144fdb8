"""Read a corpus in any supported format as documents with an ID, a title, a text and metadata fields."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from boolattn.retrieval.corpus.bad_rows import WHOLE_ROW, BadRowError, Place
from boolattn.retrieval.corpus.files import Row, corpus_files, rows_of
from boolattn.retrieval.corpus.metadata import common_kind, converted, kind_of, scalar_of
from boolattn.retrieval.index.protocol import Kind, Value

NUMBERED = "#"  # instead of an ID field: number documents from "0"
_IDS = ("_id", "id", "doc_id")
LONGEST_NAME, MOST_NAMES = 40, 20  # of fields, in messages


class BadDocumentError(BadRowError):
    """A row that is not a document, or whose ID is not unique."""

    def __str__(self) -> str:
        return f"{self.place}, field {self.field!r}: {self.problem}"


class ChangedCorpusError(ValueError):
    """A corpus that changed while it was being encoded."""


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """One document of a corpus, with its metadata."""

    doc_id: str
    title: str
    text: str
    metadata: Mapping[str, Value]

    def to_encode(self) -> str:
        """Return the text to encode."""
        return f"{self.title}. {self.text}" if self.title and self.text else self.title or self.text


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a row with its ID, title and text; ``NUMBERED`` numbers the documents."""

    id: str = ""
    title: str = "title"
    text: str = "text"


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus that has been read once and validated.

    Attributes:
        path: A ``.jsonl`` (plain, ``.gz`` or ``.zst``) or ``.parquet`` file, a BEIR folder, or a folder of such files.
        fields: The fields with ID, title and text.
        documents: Number of documents.
        metadata: The other fields and their types; a field with values of different types is text.
        files: Size and modification time of each file when it was read.
    """

    path: Path
    fields: Fields
    documents: int = 0
    metadata: Mapping[str, Kind] = field(default_factory=dict)
    files: Mapping[Path, tuple[int, int]] = field(default_factory=dict)

    def require_unchanged(self) -> None:
        """Raise if a file has changed since it was read."""
        now = _files(self.path)
        for path in self.files.keys() | now.keys():
            if self.files.get(path) != now.get(path):
                raise ChangedCorpusError(
                    f"{path} was added, removed or changed while {self.path} was being encoded: run this again, with "
                    f"another --out, when no process writes to the corpus"
                )


class CorpusReader:
    """Reads slices of a corpus; slices in ascending order read every file only once."""

    def __init__(self, corpus: Corpus) -> None:
        """Start at the first document."""
        self.corpus = corpus
        self._rows, self._next = rows_of(corpus.path), 0

    def read(self, start: int, count: int) -> list[CorpusDocument]:
        """Return the given number of documents from a position, with metadata in the corpus-wide types."""
        if start < self._next:
            self._rows, self._next = rows_of(self.corpus.path), 0
        ahead = start - self._next
        rows = list(islice(self._rows, ahead, ahead + count))
        self._next = start + count
        return [self._document(number, place, row) for number, (place, row) in enumerate(rows, start)]

    def _document(self, number: int, place: Place, row: Row) -> CorpusDocument:
        found, kinds = _document(place, number, _values(place, row), self.corpus.fields), self.corpus.metadata
        if not found.metadata.keys() <= kinds.keys():
            self.corpus.require_unchanged()
        fields = {name: converted(value, kinds[name]) for name, value in found.metadata.items()}
        return replace(found, metadata=fields)


def survey(path: str | Path, fields: Fields | None = None) -> Corpus:
    """Validate a whole corpus, so that an error in its last row is found before encoding starts.

    Args:
        path: The corpus.
        fields: The fields with ID, title and text; by default, the ID is the first row's "_id", "id" or "doc_id".
    """
    path, fields = Path(path), fields or Fields()
    files = _files(path)
    kinds: dict[str, Kind] = {}
    hashes = array("q")  # eight bytes per ID, because a corpus may have a billion
    for number, (place, row) in enumerate(rows_of(path)):
        values = _values(place, row)
        if not fields.id:
            fields = Fields(_id_field(place, values), fields.title, fields.text)
        document = _document(place, number, values, fields)
        hashes.append(hash(document.doc_id))
        for name, value in document.metadata.items():
            kinds[name] = common_kind(kinds.get(name, kind_of(value)), kind_of(value))
    if not hashes:
        raise ValueError(f"{path} contains no documents")
    _require_unique_ids(path, fields, hashes)
    corpus = Corpus(path, fields, len(hashes), dict(sorted(kinds.items())), files)
    corpus.require_unchanged()
    return corpus


def _files(path: Path) -> dict[Path, tuple[int, int]]:
    """Return the size and modification time of each file of a corpus."""
    return {file: (file.stat().st_size, file.stat().st_mtime_ns) for file in corpus_files(path)}


def _require_unique_ids(path: Path, fields: Fields, hashes: "array[int]") -> None:
    """Raise at the first document whose ID is a duplicate; only IDs with equal hashes are compared."""
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
                f"an earlier document also has the ID {doc_id!r}. Choose a field with unique values with "
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
        f"no ID: expected one of {', '.join(_IDS)}, got {_listed(values)}. Name the ID field with --id, or number "
        f"the documents with --id '{NUMBERED}'",
    )


def _document(place: Place, number: int, values: Mapping[str, Any], fields: Fields) -> CorpusDocument:
    """Convert a row to a document, with metadata in the row's own types."""
    doc_id = str(number) if fields.id == NUMBERED else _text(place, values, fields.id, "--id")
    if not doc_id:
        raise BadDocumentError(place, fields.id, "the ID is empty: every document needs one")
    # Many corpora have no titles, but a field that the user names must exist.
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


def _listed(values: Mapping[str, Any]) -> str:
    """Return field names for a message, as literals, because a corpus may contain any character, and not too many."""
    shown = ", ".join(repr(name[:LONGEST_NAME]) for name in list(values)[:MOST_NAMES])
    return f"{shown}, ..." if len(values) > MOST_NAMES else shown


def _text(place: Place, values: Mapping[str, Any], name: str, option: str) -> str:
    if name not in values:
        raise BadDocumentError(
            place, name, f"there is no such field. The row has {_listed(values)}: name the right one with {option}"
        )
    value = scalar_of(values[name])
    if value is None and values[name] not in (None, []):
        raise BadDocumentError(place, name, f"expected text, got {type(values[name]).__name__}")
    return "" if value is None else str(value)
