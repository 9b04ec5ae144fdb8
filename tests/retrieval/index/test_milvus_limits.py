"""What Milvus cannot store, and how much fits into one request."""

import pytest

from boolattn.retrieval.index.milvus import schema as milvus_rows
from boolattn.retrieval.index.milvus.schema import (
    LONGEST,
    entities_of,
    in_requests,
    index_parameters,
    schema_of,
)
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


def test_fields_and_indexes():
    assert schema_of(DESCRIPTION).verify() is None
    assert len(index_parameters(DESCRIPTION)) == 1
