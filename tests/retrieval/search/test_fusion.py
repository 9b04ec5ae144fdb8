import pytest

from boolattn.retrieval.index.protocol import Hit
from boolattn.retrieval.search.fusion import fuse


def hits(*ids):
    return [Hit(doc_id, 0.0) for doc_id in ids]


def test_each_list_gives_by_place():
    found = fuse([hits("a", "b", "c"), hits("c", "d")])
    assert [hit.doc_id for hit in found] == ["c", "a", "b", "d"]
    assert found[0].score == pytest.approx(1 / 63 + 1 / 61)
    assert found[1].score == pytest.approx(1 / 61)


def test_what_is_unwanted_falls_and_brings_no_document():
    found = fuse([hits("a", "b", "c")], hits("a", "x"), strength=0.5)
    assert [hit.doc_id for hit in found] == ["b", "c", "a"]
    assert found[-1].score == pytest.approx(1 / 61 - 0.5 / 61)


def test_without_strength_nothing_falls():
    assert fuse([hits("a", "b")], hits("a"), strength=0.0) == fuse([hits("a", "b")])


def test_of_equals_the_first_list_comes_first():
    assert [hit.doc_id for hit in fuse([hits("a"), hits("b")])] == ["a", "b"]
