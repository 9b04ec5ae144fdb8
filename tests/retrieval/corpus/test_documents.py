"""All formats give the same documents; errors name the row and the field."""

import gzip
import json
import tracemalloc
from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from boolattn.retrieval.corpus import documents
from boolattn.retrieval.corpus.documents import (
    NUMBERED,
    BadDocumentError,
    ChangedCorpusError,
    CorpusReader,
    Fields,
    survey,
)

ROWS = [
    {"_id": "a", "title": "Alien", "text": "In space.", "year": 1979, "cast": ["Weaver", "Holm"], "rating": 8},
    {"_id": "b", "title": "", "text": "A bus.", "year": 1994, "cast": [], "rating": 7.5, "long": False},
    {"_id": "c", "title": "Up", "text": "", "year": None, "cast": ["Asner"], "deep": {"a": 1}, "long": True},
]
FILMS = [
    {"title": "Alien", "year": 1979, "extract": "In space."},
    {"title": "Alien", "year": 1986, "extract": "Again."},
]


def lines(rows) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def write(path: Path, rows=ROWS) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(
            pa.Table.from_pylist(rows, pa.schema([(name, _type(rows, name)) for name in _names(rows)])), path
        )
    else:
        pack = {".gz": gzip.compress, ".zst": zstandard.compress}.get(path.suffix, bytes)
        path.write_bytes(pack(lines(rows)))
    return path


def _names(rows):
    return list(dict.fromkeys(name for row in rows for name in row))


def _type(rows, name):
    return pa.array([row.get(name) for row in rows]).type


def read(path, fields=None):
    corpus = survey(path, fields)
    return CorpusReader(corpus).read(0, 1000)


@pytest.mark.parametrize("name", ["c.jsonl", "c.jsonl.gz", "c.jsonl.zst", "c.parquet"])
def test_every_format_gives_the_same_documents(tmp_path, name):
    path = write(tmp_path / name)
    corpus = survey(path)
    assert corpus.documents == 3
    assert corpus.metadata == {"cast": "text", "long": "boolean", "rating": "number", "year": "integer"}
    found = CorpusReader(corpus).read(0, 10)
    assert [(each.doc_id, each.title, each.text) for each in found] == [
        ("a", "Alien", "In space."),
        ("b", "", "A bus."),
        ("c", "Up", ""),
    ]
    assert [each.metadata for each in found] == [
        {"year": 1979, "cast": "Weaver, Holm", "rating": 8.0},
        {"year": 1994, "rating": 7.5, "long": False},
        {"cast": "Asner", "long": True},
    ]
    assert isinstance(found[0].metadata["rating"], float), "one kind over the whole corpus"
    assert [each.to_encode() for each in found] == ["Alien. In space.", "A bus.", "Up"]


def test_only_the_documents_of_a_beir_folder_are_read(tmp_path):
    write(tmp_path / "corpus.jsonl")
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "a question"}\n')
    assert [each.doc_id for each in read(tmp_path)] == ["a", "b", "c"]


def test_files_of_a_folder_are_read_in_order_of_name(tmp_path):
    write(tmp_path / "2.jsonl", ROWS[:1])
    write(tmp_path / "1.parquet", ROWS[1:2])
    write(tmp_path / "3.jsonl.zst", ROWS[2:])
    (tmp_path / "LICENSE").write_text("free")
    assert [each.doc_id for each in read(tmp_path)] == ["b", "a", "c"]


def test_other_fields_can_be_named(tmp_path):
    path = write(tmp_path / "films.jsonl", FILMS)
    found = read(path, Fields(id="year", text="extract"))
    assert [(each.doc_id, each.text, each.metadata) for each in found] == [
        ("1979", "In space.", {}),
        ("1986", "Again.", {}),
    ]
    numbered = read(path, Fields(id=NUMBERED, title="year", text="extract"))
    assert [(each.doc_id, each.title, each.metadata) for each in numbered] == [
        ("0", "1979", {"title": "Alien"}),
        ("1", "1986", {"title": "Alien"}),
    ]


def test_a_field_of_several_kinds_is_text(tmp_path):
    values = [1, "one", True, 2.5]
    path = write(tmp_path / "c.jsonl", [{"id": n, "text": "", "mixed": value} for n, value in enumerate(values)])
    assert survey(path).metadata == {"mixed": "text"}
    assert [each.metadata["mixed"] for each in read(path)] == ["1", "one", "true", "2.5"]


def test_values_that_no_index_can_store(tmp_path):
    path = write(tmp_path / "c.jsonl", [{"id": "a", "text": "", "large": 2**63, "numbers": [1, 2]}])
    assert read(path)[0].metadata == {"large": str(2**63)}
    fields = {"on": date(2026, 1, 2), "off": float("nan"), "never": -(2**63), "price": Decimal("19.90")}
    dated = write(tmp_path / "c.parquet", [{"id": "a", "text": ""} | fields])
    assert read(dated)[0].metadata == {"on": "2026-01-02", "price": 19.9}


def test_ids_that_only_look_alike_are_distinct(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "hash", lambda _: 7, raising=False)
    assert survey(write(tmp_path / "c.jsonl")).documents == 3
    with pytest.raises(BadDocumentError, match=r"line 4, .* has the ID 'b'"):
        survey(write(tmp_path / "d.jsonl", [*ROWS, ROWS[1]]))


def test_a_survey_keeps_little_of_each_document(tmp_path):
    path, count = tmp_path / "c.jsonl", 20_000
    path.write_text("".join(f'{{"id": "{n:064}", "text": "a"}}\n' for n in range(count)), encoding="utf-8")
    survey(path)
    tracemalloc.start()
    survey(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40 * count  # of ids alone, 120 bytes each and more


def test_names_of_fields_are_shown_as_literals_and_not_too_many(tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps({"\x1b[31m\u2028": 1, "x" * 5000: 2} | dict.fromkeys(map(str, range(100)), 3)) + "\n")
    with pytest.raises(BadDocumentError, match=r"got '\\x1b\[31m\\u2028', 'x{40}', '0'.*'17', \.\.\.\.") as refused:
        survey(path)
    assert "\x1b" not in str(refused.value) and "\u2028" not in str(refused.value)


@pytest.mark.parametrize("change", ["longer", "shorter", "another field", "another file"])
def test_a_corpus_that_changes_after_it_was_read_is_refused(tmp_path, change):
    path = tmp_path / "c.jsonl"
    path.write_text("".join(json.dumps({"id": str(n), "text": "kites"}) + "\n" for n in range(3)))
    corpus = survey(tmp_path)
    corpus.require_unchanged()
    row = json.dumps({"id": "9", "text": "boats", "year": 1990}) + "\n"
    changed = {"longer": path.read_text() + row, "shorter": row, "another field": row * 3}
    (tmp_path / "d.jsonl" if change == "another file" else path).write_text(changed.get(change, row))
    with pytest.raises(ChangedCorpusError, match=r"was added, removed or changed while .* was being encoded"):
        corpus.require_unchanged()
    if change == "another field":
        with pytest.raises(ChangedCorpusError):
            CorpusReader(corpus).read(0, 3)


@pytest.mark.parametrize(
    ("rows", "fields", "said"),
    [
        (FILMS, None, "line 1, field '_id': no ID: expected one of _id, id, doc_id, got 'title', 'year', 'extract'"),
        ([*ROWS, ROWS[1]], None, "line 4, field '_id': an earlier document also has the ID 'b'"),
        (
            FILMS,
            Fields(id="title", text="extract"),
            "line 2, field 'title': an earlier document also has the ID 'Alien'",
        ),
        (FILMS, Fields(id=NUMBERED), "line 1, field 'text': there is no such field.*--text"),
        (FILMS, Fields(id=NUMBERED, title="name", text="extract"), "field 'name': there is no such field.*--title"),
        ([*ROWS, {"id": "d", "text": ""}], None, "line 4, field '_id': there is no such field"),
        ([{"id": "", "text": "x"}], None, "line 1, field 'id': the ID is empty"),
        ([{"id": None, "text": "x"}], None, "line 1, field 'id': the ID is empty"),
        ([{"id": "a", "text": {"b": "c"}}], None, "line 1, field 'text': expected text, got dict"),
        ([["a"]], None, "line 1, field 'whole row': expected one JSON object"),
    ],
)
def test_errors_name_the_problem(tmp_path, rows, fields, said):
    with pytest.raises(BadDocumentError, match=said) as error:
        survey(write(tmp_path / "c.jsonl", rows), fields)
    assert "skip-bad" not in str(error.value), "there is no such option here"


def test_paths_that_are_not_a_corpus_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("id,text\n")
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(ValueError, match=r"unknown format.*\.jsonl\.zst"):
        survey(tmp_path / "a.csv")
    with pytest.raises(ValueError, match="contains no documents"):
        survey(tmp_path / "empty.jsonl")
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        survey(tmp_path / "b")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileNotFoundError, match="no document files"):
        survey(tmp_path / "folder")


def test_pieces_are_the_same_in_any_order(tmp_path):
    corpus = survey(write(tmp_path / "c.jsonl", [{"id": str(n), "text": "t"} for n in range(10)]), Fields(id=NUMBERED))
    reader = CorpusReader(corpus)
    pieces = {start: [each.doc_id for each in reader.read(start, 3)] for start in (3, 9, 0, 6)}
    assert pieces == {3: ["3", "4", "5"], 9: ["9"], 0: ["0", "1", "2"], 6: ["6", "7", "8"]}
