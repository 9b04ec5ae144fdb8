"""Small random encoders of every family, and the real all-MiniLM-L6-v2."""

import os
from collections.abc import Iterator
from pathlib import Path

from tests import hub_cache

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ["HF_HUB_CACHE"] = str(hub_cache.create())

import pytest
import torch
from hypothesis import settings
from transformers import AutoModel, AutoTokenizer, PreTrainedModel

from tests.backbones.small import backbone
from tests.backbones.tiny import KINDS, tiny
from tests.retrieval.index.milvus_server import MilvusProcess, milvus_server

# The same examples every time: a change fails for what it changed. `--hypothesis-profile=search` tries new ones.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", max_examples=1000, deadline=None)
settings.load_profile("same")


@pytest.fixture(autouse=True)
def _as_at_the_start():
    """Start each test with the same seed and number of threads, which affects the last digits."""
    threads = torch.get_num_threads()
    torch.manual_seed(0)
    yield
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)


@pytest.fixture(params=KINDS, ids=" ".join)
def encoder(request) -> PreTrainedModel:
    return tiny(*request.param)


@pytest.fixture(scope="session")
def milvus(tmp_path_factory) -> Iterator[MilvusProcess]:
    """A real Milvus server."""
    with milvus_server(tmp_path_factory.mktemp("milvus")) as server:
        yield server


@pytest.fixture(scope="session")
def minilm_folder() -> Path:
    return hub_cache.minilm_folder()


@pytest.fixture(params=["eager", "sdpa"])
def minilm(request, minilm_folder) -> PreTrainedModel:
    return AutoModel.from_pretrained(minilm_folder, attn_implementation=request.param).eval()


@pytest.fixture(scope="module")
def bare(minilm_folder):
    """The plain model."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(minilm_folder))


@pytest.fixture(scope="module")
def by_rules(minilm_folder):
    """The training-free Boolean model, with the rules as its reader."""
    from boolattn.backbones.dual_encoder import DualEncoder
    from boolattn.reading.options import ReadingOptions

    model = DualEncoder.training_free(str(minilm_folder))
    model.options = ReadingOptions(reader="rules")
    return model


@pytest.fixture(scope="session")
def minilm_tokenizer(minilm_folder):
    return AutoTokenizer.from_pretrained(minilm_folder)


@pytest.fixture(scope="session")
def start(tmp_path_factory, minilm_folder) -> str:
    """Return the folder of a small random backbone."""
    return backbone(tmp_path_factory.mktemp("bert"), minilm_folder)
