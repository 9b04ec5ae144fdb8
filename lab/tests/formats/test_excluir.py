import json

import pytest
from lab.tests.formats.fixture_files import FIXTURES

from boolattn_lab.formats import BadRowError, SkipBad, read_excluir_corpus, read_excluir_queries

QUERIES = FIXTURES / "excluir" / "test_manual_final.json"
CORPUS = FIXTURES / "excluir" / "corpus.json"


def test_the_first_document_is_the_one_to_exclude():
    documents = {document.doc_id: document.text for document in read_excluir_corpus(CORPUS)}
    kites, folded = read_excluir_queries(QUERIES)
    assert kites.query == "Apart from kites, which toys did Ada have?"
    assert kites.source_question == "Which toy did Ada fly and which did she roll?"
    assert documents[kites.excluded] == "Ada flew a kite."
    assert documents[kites.wanted] == "Ada rolled marbles."
    assert documents[folded.excluded] == "Ben folded a boat."
    assert documents[folded.wanted] == "Ben sailed a sloop."


def test_a_bad_query_is_reported_by_its_number(tmp_path):
    rows = json.loads(QUERIES.read_text())
    rows.insert(1, {**rows[0], "corpus_sub_index": [1]})
    path = tmp_path / "queries.json"
    path.write_text(json.dumps(rows))
    with pytest.raises(BadRowError, match=r"queries\.json, row 2, field 'corpus_sub_index': Expected .* length 2"):
        list(read_excluir_queries(path))
    skip = SkipBad()
    assert list(read_excluir_queries(path, skip)) == list(read_excluir_queries(QUERIES))
    assert skip.counts == {(str(path), "corpus_sub_index"): 1}


def test_a_skipped_document_does_not_shift_the_ids_of_the_next(tmp_path):
    path = tmp_path / "corpus.json"
    path.write_text('["zero", null, "two"]')
    assert [(doc.doc_id, doc.text) for doc in read_excluir_corpus(path, SkipBad())] == [("0", "zero"), ("2", "two")]


@pytest.mark.parametrize(
    ("content", "row", "expected"),
    [('{"a": ["b"]}', 1, "one JSON list"), ('["a", "b"', 3, "expected JSON"), ("", 1, "expected JSON")],
)
def test_a_file_that_is_not_a_list_is_an_error_even_when_skipping(tmp_path, content, row, expected):
    path = tmp_path / "corpus.json"
    path.write_text(content)
    with pytest.raises(BadRowError, match=rf"corpus\.json, row {row}, .*{expected}"):
        list(read_excluir_corpus(path, SkipBad()))
