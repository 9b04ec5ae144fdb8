"""On Ray, several actors write the same files as one process."""

import sys
from pathlib import Path

import pytest

from boolattn.retrieval.corpus.documents import survey
from boolattn.retrieval.shards.encode_job import EncodeJob, Origin, WrongFolderError
from boolattn.retrieval.shards.ray_encoding import _ShardActor, _share, on_ray
from tests.backbones.small import backbone
from tests.retrieval.shards.small_corpus import SHARD, contents, encode, write_corpus


@pytest.fixture(scope="module")
def model(tmp_path_factory, minilm_folder) -> str:
    return backbone(tmp_path_factory.mktemp("model"), minilm_folder)


@pytest.mark.long
def test_actors_write_the_same_files_as_one_process(tmp_path, model):
    pytest.importorskip("ray")
    corpus, here, there = write_corpus(tmp_path / "corpus.jsonl"), tmp_path / "here", tmp_path / "ray"
    encode(corpus, model, here)
    there.mkdir()
    done = "shard-00004.parquet"  # by a run that was stopped
    (there / done).write_bytes((here / done).read_bytes())
    made = encode(corpus, model, there, run=on_ray(model, None, workers=2))
    assert made.documents == 400 - SHARD
    assert contents(there) == contents(here)


def test_another_model_on_another_machine_is_refused(tmp_path, model):
    corpus = survey(write_corpus(tmp_path / "corpus.jsonl", documents=2))
    job = EncodeJob(corpus, Path(), Origin("another", "full", "float32"), "cosine", SHARD)
    with pytest.raises(WrongFolderError, match="install the same model on all"):
        _ShardActor(job, model, None)


def test_actors_share_the_machine():
    assert _share({"CPU": 8.0}, 3) == {"num_cpus": 2.0}
    assert _share({"CPU": 1.0}, 2) == {"num_cpus": 0.5}
    assert _share({"CPU": 8.0, "GPU": 2.0}, 2) == {"num_cpus": 4.0, "num_gpus": 1}


def test_a_missing_ray_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"boolattn\[ray\]"):
        on_ray("any", None, workers=1)
