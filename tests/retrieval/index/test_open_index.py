"""Addresses."""

import sys

import pytest

from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import IndexDescription, WrongIndexError


@pytest.mark.parametrize(
    "uri",
    [
        "qdrant://host/name",
        "films",
        "",
        "lance:",
        "lance:films",
        "lance:///",
        "lance://folder/",
        "lance:///a/b?c",
        "memory:",
        "memory:films",
        "memory://a/b",
    ],
)
def test_unknown_addresses_are_answered_with_the_known_ones(uri):
    with pytest.raises(ValueError, match=r"lance:///folder/name.*milvus://host:port/name"):
        open_index(uri)


@pytest.mark.parametrize(
    ("uri", "folder"), [("lance://films", "films.lance"), ("lance://a/b/films", "a/b/films.lance")]
)
def test_relative_folders(tmp_path, monkeypatch, uri, folder):
    monkeypatch.chdir(tmp_path)
    open_index(uri).create(IndexDescription("f", "m", 2, "dot"))
    assert (tmp_path / folder).is_dir()
    assert open_index(f"lance://{tmp_path / folder}".removesuffix(".lance")).count() == 0


def test_memory_is_shared_by_name_alone():
    description = IndexDescription("f", "m", 2, "dot")
    for uri, shared in (("memory://", False), ("memory://shared", True)):
        open_index(uri).create(description)
        again = open_index(uri)
        if shared:
            assert again.describe() == description
            again.drop()
        else:
            with pytest.raises(WrongIndexError, match="there is no index memory://"):
                again.describe()


def test_a_server_that_does_not_answer():
    with pytest.raises(OSError, match=r"127\.0\.0\.1:1: is it running"):
        open_index("milvus://127.0.0.1:1/films")


@pytest.mark.parametrize(
    ("package", "uri", "extra"),
    [("lancedb", "lance://films", "search"), ("pymilvus", "milvus://127.0.0.1:1/films", "milvus")],
)
def test_a_missing_package_is_named_with_its_extra(monkeypatch, package, uri, extra):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"{package}: pip install boolattn\[{extra}\]"):
        open_index(uri)
