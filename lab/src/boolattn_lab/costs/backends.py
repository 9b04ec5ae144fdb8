"""An encoder in torch, onnxruntime and OpenVINO: time per query, alone and with the reader, and what int8 loses."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer

from boolattn.backbones.onnx_export import export_encoder
from boolattn.query_vectors.exported_encoder import CARD_FILE, ExportedEncoder
from boolattn.query_vectors.query_encoder import Vectors
from boolattn.query_vectors.rewriting import signed_vectors
from boolattn_lab.benchmarks.evaluate import evaluate
from boolattn_lab.benchmarks.exact_search import exact_search
from boolattn_lab.benchmarks.measures import Run
from boolattn_lab.benchmarks.sets import load_benchmark
from boolattn_lab.costs.overhead import medians_of
from boolattn_lab.costs.query_cost import real_queries
from boolattn_lab.formats.folder import DataFolder

TORCH = "torch fp32"
QUERIES, BLOCK = 64, 512
Encode = Callable[[list[str]], Vectors]


@dataclass
class Backend:
    """An encoder in one backend and precision; ``query`` and ``document`` encode texts."""

    name: str
    query: Encode
    document: Encode

    def rank(
        self, queries: Mapping[str, str], documents: Iterable[tuple[str, str]], k: int, document_tokens: int
    ) -> Run:
        """Rank documents for queries, with exclusions."""
        vectors = signed_vectors(list(queries.values()), self.query)
        rows = iter(documents)
        blocks = (
            ([doc_id for doc_id, _ in block], self.document([text for _, text in block]))
            for block in iter(lambda: list(islice(rows, BLOCK)), [])
        )
        return dict(zip(queries, exact_search(vectors, blocks, k, progress=True), strict=True))


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds per query of ordinary real traffic, one query per call.

    Attributes:
        alone: Of the encoder.
        with_reader: Of reader and encoder.
    """

    alone: float
    with_reader: float


def backends(model: SentenceTransformer, folder: Path, name: str, threads: int) -> list[Backend]:
    """Return the model in all backends, exporting it to a folder unless that was done before."""

    def encode(texts: list[str]) -> Vectors:
        found: Vectors = model.encode(texts, show_progress_bar=False)
        return found

    os.environ["OMP_NUM_THREADS"] = str(threads)  # for the reader
    found = [Backend(TORCH, encode, encode)]
    for precision in ("fp32", "int8"):
        place = folder / precision
        if not (place / CARD_FILE).exists():
            export_encoder(model, place, precision, name)
        for backend in ("onnx", "openvino"):
            encoder = ExportedEncoder(place, backend, threads)
            found.append(Backend(f"{backend} {precision}", encoder.encode_query, encoder.encode_document))
    return found


def measure_latency(found: Sequence[Backend], data: DataFolder, seconds: float) -> dict[str, Latency]:
    """Time all backends in turn on the same real queries."""
    queries = real_queries(data)[:QUERIES]

    def alone(backend: Backend) -> Callable[[], object]:
        return lambda: [backend.query([query]) for query in queries]

    def with_reader(backend: Backend) -> Callable[[], object]:
        return lambda: [signed_vectors([query], backend.query) for query in queries]

    calls = {(each.name, how): make(each) for each in found for how, make in (("alone", alone), ("read", with_reader))}
    medians = {key: 1000 * value / len(queries) for key, value in medians_of(calls, seconds).items()}
    return {each.name: Latency(medians[each.name, "alone"], medians[each.name, "read"]) for each in found}


def difference(found: Sequence[Backend], data: DataFolder) -> dict[str, float]:
    """Return the smallest cosine between a backend's vectors and torch's, over real queries."""
    queries = real_queries(data)[:QUERIES]
    exact = _unit(found[0].query(queries))
    return {each.name: float((_unit(each.query(queries)) * exact).sum(axis=1).min()) for each in found}


def quality(backend: Backend, data: DataFolder) -> float:
    """Return nDCG@10 on negconstraint, queries and documents encoded by the same backend."""
    values = evaluate(load_benchmark("negconstraint", data), backend).values["nDCG@10"]
    return float(np.mean(list(values.values())))


def _unit(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)
