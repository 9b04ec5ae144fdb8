"""Document vectors, encoded once and cached on disk under the hash of their inputs."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path
from sentence_transformers.base.modules import Transformer

from boolattn.backbones.document_encoder import arithmetic_of, document_vectors

Encode = Callable[[Sequence[str]], NDArray[Any]]
TextBlock = tuple[list[str], NDArray[Any]]

BLOCK = 4096  # documents per file; a killed run loses at most one file


def cache_folder() -> Path:
    """Return the cache folder: ``BOOLATTN_CACHE``, or the user's cache folder."""
    return Path(os.environ.get("BOOLATTN_CACHE") or user_cache_path("boolattn")) / "embeddings"


def document_blocks(
    model: Any, fingerprint: str, documents: Iterable[tuple[str, str]], tokens: int, progress: bool = True
) -> Iterator[TextBlock]:
    """Yield IDs and vectors of documents, encoding only those that are not cached.

    Args:
        model: A plain ``SentenceTransformer``.
        fingerprint: Its ``document_fingerprint``.
        documents: ID and text of each document.
        tokens: Maximum tokens per document, regardless of the training length, up to the model's own limit.
        progress: Whether to show a progress bar.
    """
    transformers = [module for module in model.modules() if isinstance(module, Transformer)]
    trained = [module.document_length for module in transformers if module.document_length is not None]

    def encode(texts: Sequence[str]) -> NDArray[Any]:
        with _reading(model, transformers, tokens):
            return document_vectors(model, texts, progress)

    settings = f"{tokens} {arithmetic_of(model)}"
    if any(length != tokens for length in trained):  # without this suffix, cached vectors have the training length
        settings += " of every document"
    return cached_blocks(documents, encode, f"{fingerprint} {settings}")


@contextmanager
def _reading(model: Any, transformers: Sequence[Transformer], tokens: int) -> Iterator[None]:
    """Limit documents to ``tokens`` tokens inside the context; restore the model's limits afterwards."""
    usual, lengths = model.max_seq_length, [module.document_length for module in transformers]
    limit = tokens if usual is None else min(tokens, usual)
    shorten = usual is not None and usual > tokens and usual != float("inf")
    try:
        for module in transformers:
            module.document_length = limit if module.document_length is not None else None
        if shorten:
            model.max_seq_length = tokens
        yield
    finally:
        for module, length in zip(transformers, lengths, strict=True):
            module.document_length = length
        if shorten:
            model.max_seq_length = usual


def cached_blocks(
    documents: Iterable[tuple[str, str]],
    encode: Encode,
    encoder: str,
    folder: Path | None = None,
) -> Iterator[TextBlock]:
    """Yield IDs and vectors, block by block, encoding only what is not cached.

    Args:
        documents: ID and text of each document.
        encode: Texts -> vectors (N, D).
        encoder: Identifies the encoder and its settings.
        folder: The cache folder.
    """
    folder = folder or cache_folder()
    remaining = iter(documents)
    while block := list(islice(remaining, BLOCK)):
        texts = [text for _, text in block]
        path = folder / f"{_digest(encoder, texts)}.npy"
        if not path.exists():
            _write_whole(path, encode(texts))
        yield [identifier for identifier, _ in block], np.load(path, mmap_mode="r")


def _digest(encoder: str, texts: Sequence[str]) -> str:
    digest = hashlib.blake2b(encoder.encode(), digest_size=16)
    for text in texts:
        encoded = text.encode()
        digest.update(len(encoded).to_bytes(8))  # to distinguish ["ab", "c"] from ["a", "bc"]
        digest.update(encoded)
    return digest.hexdigest()


def _write_whole(path: Path, vectors: NDArray[Any]) -> None:
    """Write to a temporary file, then rename it, so that the file is always complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(f".{os.getpid()}.part")
    with aside.open("wb") as file:
        np.save(file, vectors.astype(np.float16))
    aside.replace(path)
