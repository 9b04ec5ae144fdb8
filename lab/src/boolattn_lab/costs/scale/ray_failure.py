"""Encoding on a Ray cluster of two nodes, of which one is killed: is the result complete? Needs ray."""

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from boolattn.backbones.storage.model_names import load_encoder
from boolattn.retrieval.corpus.documents import survey
from boolattn.retrieval.shards.encode_job import EncodeJob
from boolattn.retrieval.shards.encoding import encode_corpus
from boolattn.retrieval.shards.manifest import Shard
from boolattn.retrieval.shards.ray_encoding import on_ray

SHARDS = 24
KILLED_AFTER = 4
"""Shards that are done when a node is killed."""


def measure_ray_failure(model: str, texts: Sequence[str]) -> dict[str, Any]:
    """Encode texts on two nodes of this machine, kill one in the middle, and compare with one process, file by file."""
    import ray
    from ray.cluster_utils import Cluster

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with TemporaryDirectory() as name:
        folder = Path(name)
        corpus = folder / "corpus.jsonl"
        rows = ({"id": str(number), "text": text} for number, text in enumerate(texts))
        corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        given: dict[str, Any] = {"name": "scale", "shard_documents": -(-len(texts) // SHARDS), "progress": False}
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
        killed: list[float] = []

        def kill() -> None:
            cluster.remove_node(nodes.pop(), allow_graceful=False)
            killed.append(time.perf_counter())

        try:
            ray.init(address=cluster.address, include_dashboard=False, log_to_driver=False)
            run = _interrupted(on_ray(model, None, workers=2), kill)
            done = encode_corpus(survey(corpus), load_encoder(model), folder / "ray", run=run, **given)
            finished = time.perf_counter()
        finally:
            ray.shutdown()
            cluster.shutdown()
        alone = encode_corpus(survey(corpus), load_encoder(model), folder / "alone", **given)
        return {
            "documents": done.documents,
            "shards": len(done.manifest.shards),
            "seconds": done.seconds,
            "seconds_after_the_kill": finished - killed[0],
            "seconds_in_one_process": alone.seconds,
            "identical": _files(folder / "ray") == _files(folder / "alone"),
        }


def _interrupted(run: Any, kill: Callable[[], None]) -> Any:
    def interrupted(
        job: EncodeJob, numbers: Sequence[int], advance: Callable[[int], None]
    ) -> Iterator[tuple[int, Shard]]:
        for place, done in enumerate(run(job, numbers, advance), start=1):
            if place == KILLED_AFTER:
                kill()
            yield done

    return interrupted


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".lock"}
