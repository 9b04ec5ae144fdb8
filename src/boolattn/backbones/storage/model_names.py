"""Models by name, as in ``--model``."""

import os
from pathlib import Path
from typing import Any

from sentence_transformers import SentenceTransformer

from boolattn.backbones.dual_encoder import DualEncoder
from boolattn.backbones.storage.adapter_format import has_route
from boolattn.backbones.storage.adapters import join_backbone, read_route
from boolattn.backbones.storage.checksums import is_boolean

TRAINING_FREE = "training-free:"  # prefix of a model name: make it Boolean without training
BACKBONE_VARIABLE = "BOOLATTN_BACKBONE"


class UnknownModelError(ValueError):
    """A model name that cannot be resolved or used."""


def load_encoder(
    name: str | Path, backbone: str | Path | SentenceTransformer | None = None, **kwargs: Any
) -> SentenceTransformer:
    """Load an adapter, a saved Boolean or plain model, or ``training-free:NAME``, a plain model made Boolean.

    A folder takes precedence over a hub model. An adapter's backbone with other weights is refused.

    Args:
        name: A folder or hub name.
        backbone: An adapter's backbone: a folder, a hub name, or the model itself, which is changed in place. By
            default the value of the environment variable ``BOOLATTN_BACKBONE``, or else the recorded hub name.
        **kwargs: Arguments of ``SentenceTransformer``, such as ``device="cuda"``.

    Examples:
        >>> model = load_encoder("training-free:sentence-transformers/all-MiniLM-L6-v2")  # doctest: +SKIP
        >>> model.encode_query("movies set in Vietnam but not about war")  # doctest: +SKIP
    """
    name = str(name)
    if name and has_route(Path(name)):
        _, route = read_route(Path(name))
        chosen = backbone or os.environ.get(BACKBONE_VARIABLE) or route.backbone
        return join_backbone(Path(name), load_backbone(chosen, name, route.backbone, **kwargs))
    folder = name.removeprefix(TRAINING_FREE)
    try:
        if not folder:
            raise ValueError("the model name is empty")
        if name.startswith(TRAINING_FREE):
            return DualEncoder.training_free(SentenceTransformer(folder, **kwargs))
        return DualEncoder(folder, **kwargs) if is_boolean(folder) else SentenceTransformer(folder, **kwargs)
    except (OSError, ValueError) as error:
        ignored = ""
        if backbone or os.environ.get(BACKBONE_VARIABLE):
            ignored = f"; --backbone and {BACKBONE_VARIABLE} are for adapters: offline, use the model's folder"
        raise UnknownModelError(
            f"cannot load {folder!r}: use a sentence-transformers folder or hub name, with {TRAINING_FREE} before it "
            f"to make it Boolean, or the folder of an adapter; load_adapter attaches a mechanism saved alone{ignored} "
            f"({error})"
        ) from error


def title_of(name: str) -> str:
    """Return a model's name for tables; for a folder, its last two parts."""
    folder = name.removeprefix(TRAINING_FREE)
    prefix = name[: len(name) - len(folder)]
    return prefix + ("/".join(Path(folder).resolve().parts[-2:]) if Path(folder).is_dir() else folder)


def load_backbone(
    backbone: str | Path | SentenceTransformer, name: str, made_with: str, **kwargs: Any
) -> SentenceTransformer:
    """Load the backbone of an adapter."""
    if isinstance(backbone, SentenceTransformer):
        if kwargs:
            raise TypeError(f"{sorted(kwargs)} are for loading a backbone, but this one is already loaded: remove them")
        return backbone
    try:
        return SentenceTransformer(str(backbone), **kwargs)
    except (OSError, ValueError) as error:
        raise UnknownModelError(
            f"cannot load {str(backbone)!r}, the backbone for {name}. Point to a folder with {made_with} in one of "
            f"three ways: load_encoder({name!r}, backbone=FOLDER) in Python, --backbone FOLDER on the command line, or "
            f"{BACKBONE_VARIABLE}=FOLDER in the environment ({error})"
        ) from error
