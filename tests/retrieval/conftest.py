"""Fixtures for every real index."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from boolattn.retrieval.index.open_index import open_index
from tests.retrieval.backends import BACKENDS, OPEN_TO_OTHER_PROCESSES


@pytest.fixture(scope="session")
def place_of(request) -> Callable[[str, Path], str]:
    """Return a function: backend -> the start of its addresses, up to the name."""

    def place(backend: str, folder: Path) -> str:
        match backend:
            case "lance":
                return f"lance://{folder}"
            case "milvus":
                return str(request.getfixturevalue("milvus").uri)
            case "memory":
                return "memory:/"
        raise ValueError(f"no address for {backend!r}: add it to place_of")

    return place


@pytest.fixture(params=BACKENDS)
def index_uri(request, tmp_path, place_of) -> Iterator[str]:
    """The address of an index that does not exist yet, and will not exist afterwards."""
    yield from _new(place_of(request.param, tmp_path))


@pytest.fixture(params=OPEN_TO_OTHER_PROCESSES)
def lasting_uri(request, tmp_path, place_of) -> Iterator[str]:
    """The same for an index that other processes can open."""
    yield from _new(place_of(request.param, tmp_path))


def _new(place: str) -> Iterator[str]:
    uri = f"{place}/index_{uuid.uuid4().hex}"
    yield uri
    open_index(uri).drop()
