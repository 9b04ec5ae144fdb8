"""A run killed at any moment, without cleanup, resumes and produces the same bytes."""

import multiprocessing
import signal
import time
from random import Random

from boolattn.retrieval.shards.manifest import MANIFEST_FILE
from tests.backbones.small import backbone
from tests.retrieval.shards.small_corpus import SHARD, contents, encode, write_corpus

KILLS, SHARDS = 5, 20

# Its children have imported everything, but are separate processes that share no state.
SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["tests.retrieval.shards.small_corpus"])


def start(*job):
    process = SERVER.Process(target=encode, args=job)
    process.start()
    return process


def shards_of(folder):
    return len(list(folder.glob("*.parquet")))


def test_killed_at_random_moments(tmp_path, minilm_folder):
    rng = Random(0)
    model = backbone(tmp_path / "model", minilm_folder)
    corpus = write_corpus(tmp_path / "corpus.jsonl", documents=SHARDS * SHARD - 20)
    undisturbed, folder = tmp_path / "undisturbed", tmp_path / "killed"
    first = start(corpus, model, undisturbed)
    first.join()
    assert first.exitcode == 0

    for _ in range(KILLS):
        before = shards_of(folder)
        further = rng.randint(0, (SHARDS - 1) // KILLS)  # as runs begin, too, and never so far that one could end
        process = start(corpus, model, folder)
        while process.is_alive() and shards_of(folder) < before + further:
            time.sleep(0.002)
        process.join(rng.uniform(0, 0.05))  # by now it may be reading, encoding, writing or renaming the next
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        assert shards_of(folder) < SHARDS and not (folder / MANIFEST_FILE).exists()
    assert shards_of(folder) > 0
    last = start(corpus, model, folder)
    last.join()
    assert last.exitcode == 0
    assert contents(folder) == contents(undisturbed)
