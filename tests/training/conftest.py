from pathlib import Path

import pytest

from boolattn.data.folder import DataFolder
from tests.training import small


@pytest.fixture(scope="session")
def start(tmp_path_factory, minilm_folder) -> str:
    return small.backbone(tmp_path_factory.mktemp("bert"), minilm_folder)


@pytest.fixture(scope="session")
def data(tmp_path_factory) -> DataFolder:
    return DataFolder(Path(small.data_folder(tmp_path_factory.mktemp("data"))))
