"""Vectors of documents, encoded once and kept on disk under the hash of what they were made from."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from boolattn.encoders.document_encoder import arithmetic_of, document_vectors
from boolattn.encoders.storage.fingerprint import former_document_fingerprint

Encode = Callable[[Sequence[str]], NDArray[Any]]
TextBlock = tuple[list[str], NDArray[Any]]

BLOCK = 4096  # documents in a file: what a killed run loses at most


def cache_folder() -> Path:
    """Return where vectors are kept: ``BOOLATTN_CACHE``, or the user's cache folder."""
    return Path(os.environ.get("BOOLATTN_CACHE") or user_cache_path("boolattn")) / "embeddings"


def document_blocks(
    model: Any, fingerprint: str, documents: Iterable[tuple[str, str]], tokens: int, progress: bool = True
) -> Iterator[TextBlock]:
    """Yield identifiers and vectors of documents, encoding only those that no earlier run has encoded.

    Args:
        model: A plain ``SentenceTransformer``.
        fingerprint: Its ``document_fingerprint``.
        documents: Identifier and text of each document.
        tokens: How many tokens of a document are read.
        progress: Whether to show how far the encoding is.
    """
    usual = model.max_seq_length
    shorten = usual is not None and usual > tokens and usual != float("inf")

    def encode(texts: Sequence[str]) -> NDArray[Any]:
        if shorten:
            model.max_seq_length = tokens
        try:
            return document_vectors(model, texts, progress)
        finally:
            if shorten:
                model.max_seq_length = usual

    @cache
    def former() -> str:
        return f"{former_document_fingerprint(model)} {settings}"

    settings = f"{tokens} {arithmetic_of(model)}"
    return cached_blocks(documents, encode, f"{fingerprint} {settings}", former=former)


def cached_blocks(
    documents: Iterable[tuple[str, str]],
    encode: Encode,
    encoder: str,
    folder: Path | None = None,
    former: Callable[[], str] | None = None,
) -> Iterator[TextBlock]:
    """Yield identifiers and vectors, block by block, encoding only what no earlier run has encoded.

    Args:
        documents: Identifier and text of each document.
        encode: Texts -> vectors (N, D).
        encoder: What tells this encoder and its settings from every other.
        folder: Where to keep the vectors.
        former: Returns what an earlier version called this encoder: vectors that are kept under that are used too.
    """
    folder = folder or cache_folder()
    remaining = iter(documents)
    while block := list(islice(remaining, BLOCK)):
        texts = [text for _, text in block]
        path = folder / f"{_digest(encoder, texts)}.npy"
        if not path.exists():
            earlier = folder / f"{_digest(former(), texts)}.npy" if former else path
            if earlier.exists():
                path = earlier
            else:
                _write_whole(path, encode(texts))
        yield [identifier for identifier, _ in block], np.load(path, mmap_mode="r")


def _digest(encoder: str, texts: Sequence[str]) -> str:
    digest = hashlib.blake2b(encoder.encode(), digest_size=16)
    for text in texts:
        encoded = text.encode()
        digest.update(len(encoded).to_bytes(8))  # so that ["ab", "c"] is not ["a", "bc"]
        digest.update(encoded)
    return digest.hexdigest()


def _write_whole(path: Path, vectors: NDArray[Any]) -> None:
    """Write aside, then rename: a file under its own name is always complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(f".{os.getpid()}.part")
    with aside.open("wb") as file:
        np.save(file, vectors.astype(np.float16))
    aside.replace(path)
