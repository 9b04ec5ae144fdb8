import gzip
import shutil

import pytest
from lab.tests.formats.fixture_files import FIXTURES

from boolattn_lab.formats import Document, Qrel, Query, read_beir_corpus, read_beir_qrels, read_beir_queries


def test_a_folder_with_splits():
    folder = FIXTURES / "beir"
    assert list(read_beir_corpus(folder)) == [
        Document("d1", "Marbles", "Glass balls."),
        Document("d2", "", "A kite of silk."),
        Document("Ada Quill", "", "Ada likes kites."),
    ]
    assert list(read_beir_queries(folder)) == [Query("q1", "toys, but don't mention kites"), Query("q2", "kites")]
    assert list(read_beir_qrels(folder)) == [Qrel("q1", "d1", 2), Qrel("q2", "d2", 1), Qrel("q2", "Ada Quill", 0)]
    assert list(read_beir_qrels(folder, "train")) == [Qrel("q1", "d1", 1)]


def test_judgements_next_to_the_corpus():
    assert list(read_beir_qrels(FIXTURES / "beir_flat")) == [Qrel("0", "1", 1)]
    assert list(read_beir_corpus(FIXTURES / "beir_flat")) == [Document("1", "", "No title here.")]


def test_judgements_as_json_lines():
    assert list(read_beir_qrels(str(FIXTURES / "beir_jsonl"))) == [Qrel("query_0", "Ada Quill", 1)]


def test_a_file_without_header_loses_no_row(tmp_path):
    (tmp_path / "qrels.tsv").write_text("q1\td1\t1\r\nq2\td2\t0\r\n")
    assert list(read_beir_qrels(tmp_path)) == [Qrel("q1", "d1", 1), Qrel("q2", "d2", 0)]


def test_a_compressed_folder(tmp_path):
    folder = shutil.copytree(FIXTURES / "beir", tmp_path / "beir")
    for path in (folder / "corpus.jsonl", folder / "qrels" / "test.tsv"):
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert list(read_beir_corpus(folder)) == list(read_beir_corpus(FIXTURES / "beir"))
    assert list(read_beir_qrels(folder)) == list(read_beir_qrels(FIXTURES / "beir"))


def test_a_missing_split_names_the_expected_files():
    with pytest.raises(FileNotFoundError, match=r"beir has none of qrels/dev\.tsv, qrels\.tsv, qrels\.jsonl"):
        list(read_beir_qrels(FIXTURES / "beir", "dev"))
