"""The fixtures of the library's tests, and a small data folder to train on."""

from pathlib import Path

import pytest

from boolattn_lab.formats.folder import DataFolder
from tests.conftest import (
    _as_at_the_start,
    bare,
    by_rules,
    encoder,
    milvus,
    minilm,
    minilm_folder,
    minilm_tokenizer,
    start,
)

__all__ = [
    "_as_at_the_start",
    "bare",
    "by_rules",
    "encoder",
    "milvus",
    "minilm",
    "minilm_folder",
    "minilm_tokenizer",
    "start",
]


@pytest.fixture(scope="session")
def data(tmp_path_factory) -> DataFolder:
    """Return a small data folder to train on."""
    from lab.tests.paper import small

    return DataFolder(Path(small.data_folder(tmp_path_factory.mktemp("data"))))
