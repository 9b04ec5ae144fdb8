"""Addresses."""

import sys

import pytest
from typer.testing import CliRunner

from boolattn.cli import app
from boolattn.retrieval.index.open_index import open_index, parse_address
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
def test_unknown_addresses_list_the_known_ones(uri):
    with pytest.raises(ValueError, match=r"lance:///folder/name.*milvus://host:port/name"):
        open_index(uri)


@pytest.mark.parametrize(
    "uri",
    [
        "milvus://root:s3cret@host:19530/films",
        "milvus+tls://s3cret@host/films",
        "lance+s3://key:s3cret@bucket/films",
        "postgres://root:s3cret@host/films",
        "lance:///a/b?key=s3cret",
        "milvus://host/films#s3cret",
    ],
)
def test_secrets_in_addresses_are_refused_and_not_repeated(uri):
    with pytest.raises(ValueError, match=r"\*\*\*") as refused:
        open_index(uri)
    assert "s3cret" not in str(refused.value)
    ran = CliRunner().invoke(app, ["index", ".", "--index", uri])
    assert ran.exit_code == 2 and "s3cret" not in ran.output


def test_addresses_of_milvus():
    assert parse_address("milvus://host:19530/films") == ("milvus", "http://host:19530", "films")
    assert parse_address("milvus+tls://host:19530/films") == ("milvus", "https://host:19530", "films")


@pytest.mark.parametrize(
    ("uri", "folder"), [("lance://films", "films.lance"), ("lance://a/b/films", "a/b/films.lance")]
)
def test_relative_folders(tmp_path, monkeypatch, uri, folder):
    monkeypatch.chdir(tmp_path)
    open_index(uri).create(IndexDescription("f", "m", 2, "dot"))
    assert (tmp_path / folder).is_dir()
    assert open_index(f"lance://{tmp_path / folder}".removesuffix(".lance")).count() == 0


def test_only_named_memory_indexes_are_shared():
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
    with pytest.raises(ImportError, match=rf"{package}: pip install 'boolattn\[{extra}\]'"):
        open_index(uri)
