"""Both engines, for real."""

import uuid
from collections.abc import Iterator

import pytest

from boolattn.retrieval.index.opening import open_engine
from tests.retrieval.index.milvus_server import MilvusProcess, milvus_server


@pytest.fixture(scope="session")
def milvus(tmp_path_factory) -> Iterator[MilvusProcess]:
    with milvus_server(tmp_path_factory.mktemp("milvus")) as server:
        yield server


@pytest.fixture(params=["lance", "milvus"])
def engine_uri(request, tmp_path) -> Iterator[str]:
    """The address of an index that is not there yet, and will not be there afterwards."""
    name = f"index_{uuid.uuid4().hex}"
    where = f"lance://{tmp_path}" if request.param == "lance" else request.getfixturevalue("milvus").uri
    yield f"{where}/{name}"
    open_engine(f"{where}/{name}").drop()
