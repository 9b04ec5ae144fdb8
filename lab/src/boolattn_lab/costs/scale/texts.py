"""Real documents and queries as vectors, encoded once and kept in a folder."""

from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from boolattn.operators import NOT
from boolattn.query_vectors.rewriting import signed_vectors
from boolattn.retrieval.shards.durable import atomic_write
from boolattn_lab.catalogs.quest import quest_partial_documents, template_operators
from boolattn_lab.costs.scale.vectors import Vectors, unit
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.quest import read_quest_queries

ENCODED_AT_ONCE = 2048
CHARACTERS = 128
"""Of each document: about 30 tokens, so that many documents can be encoded on two cores."""
Encode = Callable[[list[str]], Any]


def sample_texts(data: DataFolder, count: int, seed: int, characters: int | None = CHARACTERS) -> list[str]:
    """Return the texts of documents in random order, the same ones at the start for every count."""
    texts = [text for _, text in quest_partial_documents(data)]
    order = np.random.default_rng(seed).permutation(len(texts))[:count]
    return [texts[place][:characters] for place in order]


def real_vectors(encode: Encode, data: DataFolder, folder: Path, count: int, seed: int) -> Path:
    """Encode a sample of QUEST-partial's documents; what an earlier run encoded is kept.

    Returns:
        The .npy file of the vectors, (count, D), or fewer if there are fewer documents.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"real-{seed}-{count}.npy"
    if path.exists():
        return path
    texts = sample_texts(data, count, seed)
    parts = []
    starts = range(0, len(texts), ENCODED_AT_ONCE)
    for start in track(starts, "encoding real texts", console=Console(stderr=True)):
        part = folder / f"part-{seed}-{start}.npy"
        some = texts[start : start + ENCODED_AT_ONCE]
        if not part.exists() or len(np.load(part, mmap_mode="r")) < len(some):
            _save(part, unit(_by_length(encode, some)))
        parts.append(np.load(part)[: len(some)])
    _save(path, np.concatenate(parts))
    return path


def query_vectors(model: Any, data: DataFolder, path: Path, count: int, seed: int) -> dict[str, Vectors]:
    """Return two vectors (Q, D) of each of some QUEST queries that exclude something: the model's own, and the signed.

    Only queries in which the reader finds an exclusion count: the others have one vector.
    """
    if not path.exists():
        rows = chain.from_iterable(
            read_quest_queries(data.path / "quest" / name) for name in ("train.jsonl", "val.jsonl")
        )
        found = sorted({row.query for row in rows if NOT.name in template_operators(row.template)})

        def embed(texts: Any) -> NDArray[Any]:
            return np.asarray(model.encode(list(texts), show_progress_bar=False))

        plain, signed = unit(embed(found)), unit(signed_vectors(found, embed, documents="things"))
        changed = np.flatnonzero(np.abs(plain - signed).max(axis=1) > 1e-4)
        chosen = np.random.default_rng(seed).permutation(changed)[:count]
        with atomic_write(path) as aside, aside.open("wb") as file:
            np.savez(file, plain=plain[chosen], signed=signed[chosen])
    with np.load(path) as stored:
        return {kind: stored[kind] for kind in ("plain", "signed")}


def _by_length(encode: Encode, texts: list[str]) -> Vectors:
    """Encode with little padding: texts of one length together."""
    order = np.argsort([len(text) for text in texts])
    found = np.asarray(encode([texts[place] for place in order]), np.float32)
    vectors = np.empty_like(found)
    vectors[order] = found
    return vectors


def _save(path: Path, vectors: Vectors) -> None:
    with atomic_write(path) as aside, aside.open("wb") as file:
        np.save(file, vectors)
