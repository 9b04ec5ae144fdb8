"""ExportedEncoder: an embedding model run by onnxruntime or OpenVINO. Needs no torch."""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
import numpy as np
from tokenizers import Tokenizer

from boolattn.query_vectors.query_encoder import Vectors
from boolattn.reading.model_files import file_digests, onnx_session, settings_digest

MODEL_FILE, TOKENIZER_FILE, CARD_FILE = "encoder.onnx", "tokenizer.json", "encoder.json"
BATCH = 32

Backend = Literal["onnx", "openvino"]
Run = Callable[[dict[str, Any]], Vectors]


class EncoderFileError(ValueError):
    """The folder of an exported encoder is damaged or incomplete."""


class EncoderCard(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of ``encoder.json``.

    Attributes:
        model: The exported model's name.
        precision: Of its weights.
        tokens: How many tokens of a text are read.
        padding: The ID of the padding token.
        inputs: The names of the network's inputs.
        similarity: How vectors are compared.
        prompts: What is put before queries and documents.
        sha256: Digests of the model file and the tokenizer file.
        checksum: Digest of all the above.
    """

    model: str
    precision: Literal["fp32", "int8"]
    tokens: int
    padding: int
    inputs: list[str]
    similarity: Literal["cosine", "dot"]
    prompts: Mapping[str, str]
    sha256: Mapping[str, str]
    checksum: str = ""

    def digest(self) -> str:
        """Return the digest of everything but the checksum."""
        return settings_digest(msgspec.to_builtins(self))


class ExportedEncoder:
    """Encodes queries and documents as the model did that ``boolattn export`` wrote to a folder.

    Example:
        >>> encoder = ExportedEncoder("minilm-int8", backend="onnx")  # doctest: +SKIP
        >>> signed_vectors(["movies set in Vietnam but not about war"], encoder.encode_query)  # doctest: +SKIP
    """

    def __init__(self, folder: str | Path, backend: Backend = "onnx", threads: int | None = None) -> None:
        """Load an encoder, after verifying its files.

        Args:
            folder: Written by ``boolattn export``.
            backend: "onnx" for onnxruntime, "openvino" for OpenVINO.
            threads: By default ``OMP_NUM_THREADS``, or all cores.
        """
        folder = Path(folder)
        self.card = _verified_card(folder)
        self._run = _runner(folder / MODEL_FILE, backend, threads)
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self.card.tokens)

    def encode_query(self, texts: str | Sequence[str]) -> Vectors:
        """Return the vectors of queries, (B, D), or (D,) for one text."""
        return self._encode(texts, self.card.prompts["query"])

    def encode_document(self, texts: str | Sequence[str]) -> Vectors:
        """Return the vectors of documents, (B, D), or (D,) for one text."""
        return self._encode(texts, self.card.prompts["document"])

    def _encode(self, texts: str | Sequence[str], prompt: str) -> Vectors:
        if isinstance(texts, str):
            one: Vectors = self._encode([texts], prompt)[0]
            return one
        rows = [each.ids for each in self._tokenizer.encode_batch([prompt + text for text in texts])]
        # 8-bit arithmetic scales a batch as a whole, so batching would change vectors.
        size = 1 if self.card.precision == "int8" else BATCH
        order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
        batches = [order[start : start + size] for start in range(0, len(order), size)]
        found = [self._run(self._batch([rows[place] for place in batch])) for batch in batches]
        vectors = np.concatenate(found) if found else np.zeros((0, 0), np.float32)
        return vectors[np.argsort(order)]

    def _batch(self, rows: Sequence[Sequence[int]]) -> dict[str, Any]:
        ids = np.full((len(rows), max(map(len, rows))), self.card.padding, np.int64)
        mask = np.zeros_like(ids)
        for place, row in enumerate(rows):
            ids[place, : len(row)], mask[place, : len(row)] = row, 1
        known = {"input_ids": ids, "token_type_ids": np.zeros_like(ids), "attention_mask": mask}
        return {name: known[name] for name in self.card.inputs}


def _verified_card(folder: Path) -> EncoderCard:
    try:
        card = msgspec.json.decode((folder / CARD_FILE).read_bytes(), type=EncoderCard)
    except FileNotFoundError as error:
        raise EncoderFileError(
            f"{folder} contains no exported encoder: {CARD_FILE} is missing. Write one with `boolattn export MODEL OUT`"
        ) from error
    except msgspec.DecodeError as error:
        raise EncoderFileError(f"{folder / CARD_FILE} is damaged: export the model again ({error})") from error
    if card.checksum != card.digest():
        raise EncoderFileError(f"{folder / CARD_FILE} is not the file that was saved: export the model again")
    if file_digests(folder, (MODEL_FILE, TOKENIZER_FILE)) != dict(card.sha256):
        raise EncoderFileError(
            f"{MODEL_FILE} or {TOKENIZER_FILE} in {folder} is missing or damaged: export the model again"
        )
    return card


def _runner(path: Path, backend: Backend, threads: int | None) -> Run:
    if backend == "onnx":
        session = onnx_session(path, threads)
        return lambda inputs: session.run(None, inputs)[0]
    if backend == "openvino":
        return _openvino_runner(path, threads or int(os.environ.get("OMP_NUM_THREADS", 0)))
    raise ValueError(f"backend {backend!r} is not one of {get_args(Backend)}")


def _openvino_runner(path: Path, threads: int) -> Run:
    import openvino

    # f32, or OpenVINO computes in bf16 where the CPU can.
    settings = {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    compiled = openvino.Core().compile_model(
        str(path), "CPU", settings | ({"INFERENCE_NUM_THREADS": threads} if threads else {})
    )
    own = threading.local()  # threads must not share a request

    def run(inputs: dict[str, Any]) -> Vectors:
        if not hasattr(own, "request"):
            own.request = compiled.create_infer_request()
        return np.array(own.request.infer(inputs)[0])

    return run
