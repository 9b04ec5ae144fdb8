"""Read and write TREC runs and judgements, so that ``trec_eval`` and ``ir_measures`` can verify our figures."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from boolattn.retrieval.corpus.bad_rows import Place
from boolattn.retrieval.corpus.files import filled_lines
from boolattn_lab.formats.lines import columns_of, number_of, open_for_writing
from boolattn_lab.formats.records import Qrel
from boolattn_lab.formats.skipping import SkipBad, keep_good

_RUN_COLUMNS = ("query", "Q0", "document", "rank", "score", "tag")
_QREL_COLUMNS = ("query", "iteration", "document", "relevance")

# TREC columns are separated by white space, which IDs such as titles may contain: it is percent-encoded as in a URL,
# and so is a "%" that would otherwise be decoded. All other IDs are unchanged.
_LAST_SPACE = 0x3000
_CODES = {char: quote(char) for char in ["%", *filter(str.isspace, map(chr, range(_LAST_SPACE + 1)))]}
_CHARACTERS = {code: char for char, code in _CODES.items()}
_CODE = re.compile("|".join(_CHARACTERS))
_TO_ENCODE = re.compile(rf"\s|%(?={'|'.join(code[1:] for code in _CHARACTERS)})")


class RunEntry(NamedTuple):
    """One document in the ranking of a query; ``trec_eval`` sorts by score and ignores the rank.

    A named tuple with the field names of ``ir_measures``, which accepts an iterator of these.
    """

    query_id: str
    doc_id: str
    rank: int
    score: float
    tag: str


def read_trec_run(path: str | Path, skip: SkipBad | None = None) -> Iterator[RunEntry]:
    """Read lines ``query Q0 document rank score tag``."""
    return keep_good(filled_lines(path), _run_entry, skip)


def read_trec_qrels(path: str | Path, skip: SkipBad | None = None) -> Iterator[Qrel]:
    """Read lines ``query iteration document relevance``."""
    return keep_good(filled_lines(path), _qrel, skip)


def write_trec_run(path: str | Path, entries: Iterable[RunEntry]) -> None:
    """Write a run; scores round-trip exactly."""
    with open_for_writing(path) as file:
        for query_id, doc_id, rank, score, tag in entries:
            file.write(f"{_encode(query_id)} Q0 {_encode(doc_id)} {rank} {float(score)!r} {_encode(tag)}\n")


def write_trec_qrels(path: str | Path, qrels: Iterable[Qrel]) -> None:
    """Write judgements."""
    with open_for_writing(path) as file:
        for query_id, doc_id, relevance in qrels:
            file.write(f"{_encode(query_id)} 0 {_encode(doc_id)} {relevance}\n")


def _run_entry(place: Place, line: bytes) -> RunEntry:
    query_id, _, doc_id, rank, score, tag = columns_of(place, line, _RUN_COLUMNS)
    return RunEntry(
        _decode(query_id),
        _decode(doc_id),
        number_of(place, "rank", rank, int),
        number_of(place, "score", score, float),
        _decode(tag),
    )


def _qrel(place: Place, line: bytes) -> Qrel:
    query_id, _, doc_id, relevance = columns_of(place, line, _QREL_COLUMNS)
    return Qrel(_decode(query_id), _decode(doc_id), number_of(place, "relevance", relevance, int))


def _encode(name: str) -> str:
    if not name:
        raise ValueError("A TREC file cannot contain an empty ID or tag: name every query, document and run.")
    return _TO_ENCODE.sub(lambda found: _CODES[found.group()], name)


def _decode(name: str) -> str:
    return _CODE.sub(lambda found: _CHARACTERS[found.group()], name)
