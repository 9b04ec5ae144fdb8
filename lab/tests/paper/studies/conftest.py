import json
from pathlib import Path

import pytest

from boolattn_lab.benchmarks.sets import generated

FINETUNE = """
stage = "finetune"
[model]
start = "nowhere"
pooling = "cls"
similarity = "dot"
query_tokens = 16
document_tokens = 24
[data]
source = "quest"
validation_queries = 0
[training]
epochs = 3
batch_size = 4
log_steps = 1
checkpoint_steps = 2
learning_rate = 1e-3
"""
STUDY = """
seeds = [0, 1]
benchmarks = ["quest", "quest-gate"]
backbone = "{start}"

[[systems]]
name = "rules"
model = "rules"

[[systems]]
name = "bare"
model = "{{backbone}}"
benchmarks = ["films"]

[[systems]]
name = "without BoolAttn"
stages = [{{ recipe = "recipes/quest.toml", set = {{ "model.boolean" = false, "training.epochs" = 1 }} }}]
seeds = [0]

[[systems]]
name = "BoolAttn"
stages = [{{ recipe = "recipes/sentences.toml" }}, {{ recipe = "recipes/quest.toml" }}]
"""


@pytest.fixture
def study(start, tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(generated, "QUERIES_PER_SLICE", 40)
    (tmp_path / "recipes").mkdir()
    (tmp_path / "recipes" / "quest.toml").write_text(FINETUNE)
    sentences = FINETUNE.replace("finetune", "pretrain").replace('"quest"', '"setbert"').replace("epochs = 3", "")
    (tmp_path / "recipes" / "sentences.toml").write_text(sentences)
    path = tmp_path / "study.toml"
    path.write_text(STUDY.format(start=start))
    return path


def without_times(path: Path) -> dict:
    result = json.loads(path.read_text())
    for stage in result["stages"]:
        del stage["finished"], stage["seconds"], stage["cost"]["step_seconds"], stage["cost"]["peak_memory_mb"]
    for measured in result["benchmarks"].values():
        del measured["provenance"]["started"], measured["provenance"]["seconds"]
    return result
