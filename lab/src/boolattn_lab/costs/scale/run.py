"""Take all measurements of a run, one after the other; each is stored as soon as it is there."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from boolattn.backbones.document_encoder import document_vectors
from boolattn.backbones.storage.model_names import load_encoder, title_of
from boolattn.query_vectors.exported_encoder import ExportedEncoder
from boolattn.retrieval.index.open_index import parse_address
from boolattn_lab.costs.resources import Server
from boolattn_lab.costs.scale.encoding import measure_encoding
from boolattn_lab.costs.scale.engines import measure_engine
from boolattn_lab.costs.scale.exact import exact_neighbours
from boolattn_lab.costs.scale.ivf_pq import measure_ivf_pq
from boolattn_lab.costs.scale.place import Place, drop_leftover
from boolattn_lab.costs.scale.quantisation import measure_quantisation
from boolattn_lab.costs.scale.ray_failure import measure_ray_failure
from boolattn_lab.costs.scale.results import Results
from boolattn_lab.costs.scale.texts import query_vectors, real_vectors, sample_texts
from boolattn_lab.costs.scale.vectors import ScaledVectors, Vectors, describe, share_of_jitter
from boolattn_lab.formats.folder import DataFolder

PARTS = ("encoding", "quantisation", "engines", "ivf-pq", "ray")
SETTINGS_FILE = "settings.json"
RAY_DOCUMENTS, ENCODED_TOGETHER = 1200, 64
QUANTISED = 100_000  # real vectors at most: all of them are compared, in memory


@dataclass(frozen=True)
class Scale:
    """The settings of a run.

    Attributes:
        data: The data folder.
        out: Folder for results, vectors and LanceDB's files.
        model: A plain sentence-transformers model.
        exported: Folder of the same model from ``boolattn export``, to encode the real texts faster.
        sizes: Numbers of vectors.
        engines: ``lance`` and addresses such as ``milvus://host:port``.
        server: The server of these addresses.
        real: How many vectors are of real texts.
        queries: How many queries, each as a plain and as a signed vector.
        seed: Chooses texts, queries and jitter.
    """

    data: DataFolder
    out: Path
    model: str
    exported: Path | None
    sizes: Sequence[int]
    engines: Sequence[str]
    server: Server | None
    real: int
    queries: int
    seed: int

    @cached_property
    def results(self) -> Results:
        """The measurements so far."""
        return Results(self.out, self.seed)

    @cached_property
    def loaded(self) -> Any:
        """The model."""
        return load_encoder(self.model)

    @cached_property
    def vectors(self) -> ScaledVectors:
        """The real vectors, encoded now if they are new, and their copies."""
        path = real_vectors(self._encode, self.data, self.out / "vectors", self.real, self.seed)
        base = np.load(path, mmap_mode="r")
        return ScaledVectors(path, len(base), share_of_jitter(base, self.seed), self.seed)

    @property
    def encoder(self) -> str:
        """What encoded the real texts."""
        return f"{title_of(self.model)}, {self._exported.card.precision if self._exported else 'torch'}"

    @cached_property
    def _exported(self) -> ExportedEncoder | None:
        return None if self.exported is None else ExportedEncoder(self.exported, threads=1)

    def _encode(self, texts: list[str]) -> Any:
        if self._exported is None:
            return document_vectors(self.loaded, texts)
        # One thread per part: a part of short texts is too little work for several.
        parts = [texts[start : start + ENCODED_TOGETHER] for start in range(0, len(texts), ENCODED_TOGETHER)]
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            return np.concatenate(list(threads.map(self._exported.encode_document, parts)))

    @cached_property
    def query_vectors(self) -> Mapping[str, Vectors]:
        """Kind -> vectors (Q, D)."""
        path = self.out / "vectors" / f"queries-{self.seed}-{self.queries}.npz"
        return query_vectors(self.loaded, self.data, path, self.queries, self.seed)


def run_scale(scale: Scale, parts: Sequence[str], report: Callable[[str], None]) -> None:
    """Measure what is not in the results yet."""
    steps = {"encoding": _encoding, "quantisation": _quantisation, "engines": _engines, "ivf-pq": _ivf_pq, "ray": _ray}
    if parts:
        _require_same(scale)
    for part in parts:
        report(part)
        steps[part](scale, report)


def _require_same(scale: Scale) -> None:
    """Raise if the folder has results with other settings: they would be mixed."""
    path = scale.out / SETTINGS_FILE
    now = {"encoder": scale.encoder, "queries": scale.queries, "seed": scale.seed}
    scale.out.mkdir(parents=True, exist_ok=True)
    if path.exists() and (before := json.loads(path.read_text(encoding="utf-8"))) != now:
        raise ValueError(f"{scale.out} has results with {before}, not {now}: use the same settings, or another --out")
    path.write_text(json.dumps(now), encoding="utf-8")


def _encoding(scale: Scale, report: Callable[[str], None]) -> None:
    folder, name = scale.out / "exported", title_of(scale.model)
    scale.results.once("encoding", lambda: measure_encoding(scale.loaded, name, scale.data, folder, scale.seed))


def _quantisation(scale: Scale, report: Callable[[str], None]) -> None:
    some = np.asarray(scale.vectors.base[:QUANTISED])
    name = f"quantisation-{len(some)}"
    scale.results.once(name, lambda: measure_quantisation(some, scale.query_vectors))


def _engines(scale: Scale, report: Callable[[str], None]) -> None:
    scale.results.once(f"vectors-of-{scale.vectors.real}", lambda: describe(scale.vectors) | {"encoder": scale.encoder})
    for engine in scale.engines:
        for size in scale.sizes:
            uri = f"lance://{(scale.out / 'lance').resolve()}" if engine == "lance" else engine
            place = Place(
                f"{uri}/scale_{size}", scale.server if parse_address(f"{uri}/x").backend == "milvus" else None
            )
            report(f"{place.backend}, {size:,} vectors")
            name = f"{place.backend}-{size}-of-{min(scale.vectors.real, size)}"
            scale.results.once(name, partial(_measured, scale, place, size))


def _measured(scale: Scale, place: Place, size: int) -> dict[str, Any]:
    drop_leftover(place)
    exact = exact_neighbours(scale.vectors, size, scale.query_vectors, scale.out / "vectors")
    found = measure_engine(place, scale.vectors, size, scale.query_vectors, exact.neighbours)
    return found | {"cosines": exact.cosines}


def _ivf_pq(scale: Scale, report: Callable[[str], None]) -> None:
    for size in scale.sizes:
        report(f"IVF_PQ, {size:,} vectors")
        exact = exact_neighbours(scale.vectors, size, scale.query_vectors, scale.out / "vectors")
        folder = scale.out / "ivf"
        measure = partial(measure_ivf_pq, folder, scale.vectors, size, scale.query_vectors, exact.neighbours)
        scale.results.once(f"ivf-pq-{size}-of-{min(scale.vectors.real, size)}", measure)


def _ray(scale: Scale, report: Callable[[str], None]) -> None:
    texts = sample_texts(scale.data, RAY_DOCUMENTS, scale.seed)
    scale.results.once("ray", lambda: measure_ray_failure(scale.model, texts))
