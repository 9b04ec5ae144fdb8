"""Every index, for real."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from boolattn.retrieval.index.open_index import open_index
from tests.retrieval.index.milvus_server import MilvusProcess, milvus_server


@pytest.fixture(scope="session")
def milvus(tmp_path_factory) -> Iterator[MilvusProcess]:
    with milvus_server(tmp_path_factory.mktemp("milvus")) as server:
        yield server


@pytest.fixture(scope="session")
def place_of(request) -> Callable[[str, Path], str]:
    """Return a function that gives what the addresses of a backend begin with, up to the name."""

    def place(backend: str, folder: Path) -> str:
        if backend == "milvus":
            return str(request.getfixturevalue("milvus").uri)
        return f"lance://{folder}" if backend == "lance" else "memory:/"

    return place


@pytest.fixture(params=["lance", "milvus", "memory"])
def index_uri(request, tmp_path, place_of) -> Iterator[str]:
    """The address of an index that does not exist yet, and will not exist afterwards."""
    yield from _new(place_of(request.param, tmp_path))


@pytest.fixture(params=["lance", "milvus"])
def lasting_uri(request, tmp_path, place_of) -> Iterator[str]:
    """The same, of an index that other processes see."""
    yield from _new(place_of(request.param, tmp_path))


def _new(place: str) -> Iterator[str]:
    uri = f"{place}/index_{uuid.uuid4().hex}"
    yield uri
    open_index(uri).drop()
