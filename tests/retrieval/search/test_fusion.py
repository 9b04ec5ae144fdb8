import pytest

from boolattn.retrieval.index.protocol import Hit
from boolattn.retrieval.search.hits import fuse


def hits(*ids):
    return [Hit(doc_id, 0.0) for doc_id in ids]


def test_each_list_contributes_by_rank():
    found = fuse([hits("a", "b", "c"), hits("c", "d")])
    assert [hit.doc_id for hit in found] == ["c", "a", "b", "d"]
    assert found[0].score == pytest.approx(1 / 63 + 1 / 61)
    assert found[1].score == pytest.approx(1 / 61)


def test_ties_go_to_the_first_list():
    assert [hit.doc_id for hit in fuse([hits("a"), hits("b")])] == ["a", "b"]
