"""Encode on a Ray cluster: the same shards, distributed over actors with one model each. Needs ray."""

import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from boolattn.backbones.retrieval_model import document_encoder
from boolattn.backbones.storage.fingerprint import document_fingerprint
from boolattn.backbones.storage.model_names import load_encoder
from boolattn.retrieval.corpus.documents import CorpusReader
from boolattn.retrieval.shards.encode_job import EncodeJob, WrongFolderError
from boolattn.retrieval.shards.encoding import Run
from boolattn.retrieval.shards.manifest import Shard


def on_ray(model: str, backbone: str | None, workers: int, address: str | None = None) -> Run:
    """Return a function that encodes shards on Ray Data, for ``encode_corpus``.

    Corpus, folder and model must exist under the same paths on every machine of the cluster.

    Args:
        model: The model's name, as for ``load_encoder``: every actor loads it once.
        backbone: The backbone of an adapter.
        workers: Number of actors; each gets a GPU if there are any, and an equal share of the CPUs.
        address: A cluster's address; None starts a cluster on this machine and stops it after the last shard.
    """
    # Not at the first shard: a missing package must be reported before any work.
    try:
        ray, data = importlib.import_module("ray"), importlib.import_module("ray.data")
    except ImportError as error:
        raise ImportError("--ray needs the package ray: pip install 'boolattn[ray]'") from error

    def run(job: EncodeJob, numbers: Sequence[int], advance: Callable[[int], None]) -> Iterator[tuple[int, Shard]]:
        if not numbers:
            return
        started = not ray.is_initialized()
        if started:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no telemetry unless the user enables it
            ray.init(address=address, include_dashboard=False, log_to_driver=False)
        try:
            data.DataContext.get_current().enable_progress_bars = False
            # One block per shard: the unit of work of an actor.
            shards = data.from_items([{"shard": number} for number in numbers], override_num_blocks=len(numbers))
            done = shards.map_batches(
                _ShardActor,
                batch_size=1,
                fn_constructor_args=(job, model, backbone),
                concurrency=workers,
                **_share(ray.cluster_resources(), workers),
            )
            for row in done.iter_rows():
                advance(row["documents"])
                yield int(row["shard"]), Shard(row["file"], row["documents"], row["sha256"])
        finally:
            if started:
                ray.shutdown()

    return run


class _ShardActor:
    """A model in a separate process."""

    def __init__(self, job: EncodeJob, model: str, backbone: str | None) -> None:
        self.job, self.reader = job, CorpusReader(job.corpus)
        self.model = document_encoder(load_encoder(model, backbone))
        if job.origin.fingerprint != document_fingerprint(self.model):
            raise WrongFolderError(f"{model} differs between machines: install the same model on all of them")

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        made = [self.job.encode(self.model, self.reader, number) for number in batch["shard"].tolist()]
        return {
            "shard": batch["shard"],
            "file": np.array([shard.file for shard in made]),
            "documents": np.array([shard.documents for shard in made]),
            "sha256": np.array([shard.sha256 for shard in made]),
        }


def _share(resources: dict[str, float], workers: int) -> dict[str, float]:
    cpus = resources.get("CPU", 1)
    share = cpus // workers or cpus / workers  # Ray requires whole numbers above 1
    return {"num_cpus": share, **({"num_gpus": 1} if resources.get("GPU") else {})}
