"""How documents become vectors, wherever they are kept: with a model's own similarity, as fast as the machine can."""

from collections.abc import Sequence
from typing import Literal, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from boolattn.encoders.storage.model_names import UnknownModelError

BATCH = 64


def similarity_of(model: SentenceTransformer, name: str) -> Literal["cosine", "dot"]:
    """Return how a model compares vectors; other ways than the two are refused."""
    found = model.similarity_fn_name or "cosine"
    if found not in ("cosine", "dot"):
        raise UnknownModelError(f"{name} compares by {found}; only cosine and dot product can be ranked")
    return found


def arithmetic_of(model: SentenceTransformer) -> Literal["bf16", "full"]:
    """Return what documents are encoded in: bf16 where the CPU has matrix units for it.

    That is about 2.7 times faster, and gives vectors equal to about 1e-3.
    """
    fast = model.device.type == "cpu" and torch.cpu._is_amx_tile_supported()
    return "bf16" if fast else "full"


def document_vectors(model: SentenceTransformer, texts: Sequence[str], progress: bool = False) -> NDArray[np.float32]:
    """Return the vectors (N, D) of texts, of unit length where the model compares by cosine."""
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=arithmetic_of(model) == "bf16"):
        vectors = model.encode_document(
            list(texts),
            batch_size=BATCH,
            normalize_embeddings=model.similarity_fn_name != "dot",
            convert_to_tensor=True,
            show_progress_bar=progress,
        )
    return cast(NDArray[np.float32], vectors.float().cpu().numpy())
