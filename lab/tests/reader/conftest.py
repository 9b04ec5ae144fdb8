"""A small random encoder to train readers from, and a small recipe."""

import pytest

from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.skipping import SkipBad
from boolattn_lab.reader.recipe import ReaderRecipe
from tests.backbones.small import backbone


@pytest.fixture(scope="session")
def start(tmp_path_factory, minilm_folder):
    return backbone(tmp_path_factory.mktemp("encoder"), minilm_folder)


@pytest.fixture
def recipe(start):
    return ReaderRecipe(
        name="small", version="0", start=start, layers=1, sources={"kinds": 0.1}, epochs=2, batch_size=8,
        learning_rate=1e-3, head_learning_rate=1e-2,
    )  # fmt: skip


@pytest.fixture
def nowhere(tmp_path):
    """An empty data folder: the project's own labels need none."""
    return DataFolder(tmp_path / "nowhere", SkipBad())
