"""What Milvus cannot store, and how much fits into one request."""

import pytest

from boolattn.retrieval.index.milvus import rows as milvus_rows
from boolattn.retrieval.index.milvus.rows import LONGEST, entities_of, in_requests
from boolattn.retrieval.index.milvus.schema import index_parameters, knows_bm25, schema_of
from tests.retrieval.index.films import DESCRIPTION, GENRE, films


def test_ids_and_metadata_that_are_too_long_are_refused():
    list(entities_of(films(["x" * LONGEST]), DESCRIPTION))
    with pytest.raises(ValueError, match="its ID has 65536 bytes"):
        list(entities_of(films(["a", "é" * (LONGEST // 2) + "xx"]), DESCRIPTION))
    with pytest.raises(ValueError, match="document 'b': its metadata"):
        list(entities_of(films(["a", "b"], metadata=[{}, {GENRE: "x" * LONGEST}]), DESCRIPTION))


def test_requests_are_bounded_and_complete(monkeypatch):
    monkeypatch.setattr(milvus_rows, "LARGEST_REQUEST", 1000)
    texts = ["short", "x" * 400, "x" * 400, "x" * 5000, "", "", "x" * 900]
    rows = films([str(n) for n in range(7)], texts=texts)
    requests = [[entity["id"] for entity in request] for request in in_requests(entities_of(rows, DESCRIPTION))]
    assert requests == [["0", "1", "2"], ["3"], ["4", "5"], ["6"]]


@pytest.mark.parametrize(
    ("version", "known"),
    [("v2.3.5-lite", False), ("2.4.23", False), ("v2.5.0", True), ("2.10.1", True), ("v3.0", True), ("", False)],
)
def test_which_servers_have_full_text_search(version, known):
    assert knows_bm25(version) == known


@pytest.mark.parametrize("with_bm25", [False, True])
def test_fields_and_indexes(with_bm25):
    schema = schema_of(DESCRIPTION, with_bm25)
    assert schema.verify() is None
    assert len(schema.functions) == with_bm25
    assert len(index_parameters(DESCRIPTION, with_bm25)) == 1 + with_bm25
