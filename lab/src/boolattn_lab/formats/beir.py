"""Folders in BEIR format, and ComLQ, which adds query types."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from boolattn.retrieval.corpus.bad_rows import Place
from boolattn.retrieval.corpus.files import COMPRESSIONS, filled_lines
from boolattn_lab.formats.jsonl import Filled, read_jsonl
from boolattn_lab.formats.lines import columns_of, number_of
from boolattn_lab.formats.records import Document, Qrel, Query
from boolattn_lab.formats.skipping import SkipBad, keep_good

_COLUMNS = ("query-id", "corpus-id", "score")


class _DocumentRow(msgspec.Struct, rename={"doc_id": "_id"}):
    doc_id: Filled
    text: str
    title: str | None = None


class _QueryRow(msgspec.Struct, rename={"query_id": "_id"}):
    query_id: Filled
    text: Filled


class _QrelRow(msgspec.Struct, rename={"query_id": "query-id", "doc_id": "corpus-id"}):
    query_id: Filled
    doc_id: Filled
    score: int


def read_beir_corpus(folder: str | Path, skip: SkipBad | None = None) -> Iterator[Document]:
    """Read ``corpus.jsonl``; titles are optional."""
    for row in read_jsonl(_find(folder, "corpus.jsonl"), _DocumentRow, skip):
        yield Document(row.doc_id, row.title or "", row.text)


def read_beir_queries(folder: str | Path, skip: SkipBad | None = None) -> Iterator[Query]:
    """Read ``queries.jsonl``."""
    for row in read_jsonl(_find(folder, "queries.jsonl"), _QueryRow, skip):
        yield Query(row.query_id, row.text)


def read_beir_qrels(folder: str | Path, split: str = "test", skip: SkipBad | None = None) -> Iterator[Qrel]:
    """Read ``qrels/<split>.tsv``, or ``qrels.tsv`` or ``qrels.jsonl`` in a folder that has no splits."""
    path = _find(folder, f"qrels/{split}.tsv", "qrels.tsv", "qrels.jsonl")
    if ".jsonl" in path.suffixes:
        for row in read_jsonl(path, _QrelRow, skip):
            yield Qrel(row.query_id, row.doc_id, row.score)
    else:
        header = "\t".join(_COLUMNS).encode()
        judgements = ((place, line) for place, line in filled_lines(path) if line.rstrip() != header)
        yield from keep_good(judgements, _qrel, skip)


def _qrel(place: Place, line: bytes) -> Qrel:
    query_id, doc_id, score = columns_of(place, line, _COLUMNS, separator="\t")
    return Qrel(query_id, doc_id, number_of(place, "score", score, int))


def _find(folder: str | Path, *names: str) -> Path:
    candidates = [Path(folder) / (name + suffix) for name in names for suffix in COMPRESSIONS]
    for path in candidates:
        if path.is_file():
            return path
    raise FileNotFoundError(f"{folder} has none of {', '.join(names)} (plain, .gz or .zst): is it a BEIR folder?")


class ComlqQuery(msgspec.Struct, frozen=True, rename={"query_id": "_id"}):
    """One query; its type is a logical form such as ``2in_1``, where *n* is a negation."""

    query_id: Filled
    text: Filled
    type: Filled

    @property
    def negated(self) -> bool:
        """Whether the query contains a negation."""
        return "n" in self.type


def read_comlq_queries(folder: str | Path, skip: SkipBad | None = None) -> Iterator[ComlqQuery]:
    """Read ``queries.jsonl``; documents and judgements are those of any BEIR folder."""
    return read_jsonl(Path(folder) / "queries.jsonl", ComlqQuery, skip)
