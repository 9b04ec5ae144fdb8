"""Models by name, as in ``--model``."""

import os
from pathlib import Path
from typing import Any

from sentence_transformers import SentenceTransformer

from boolattn.encoders.dual_encoder import DualEncoder
from boolattn.encoders.model_parts import as_boolean
from boolattn.encoders.storage.adapter_format import SETTINGS_FILE, has_route
from boolattn.encoders.storage.adapters import join_backbone, read_route
from boolattn.encoders.storage.checksums import is_boolean

TRAINING_FREE = "training-free:"  # prefix of a model name: make it Boolean without training
BACKBONE_VARIABLE = "BOOLATTN_BACKBONE"

# Adapters that earlier versions shipped, and what to use instead.
_REMOVED = {"minilm-l6": "sentence-transformers/all-MiniLM-L6-v2"}


class UnknownModelError(ValueError):
    """A model name that cannot be resolved or used."""


def load(folder: str | Path, backbone: str | Path | SentenceTransformer | None = None, **kwargs: Any) -> DualEncoder:
    """Load an adapter with its backbone; a backbone with other weights is refused.

    Args:
        folder: The adapter, from ``boolattn dev ship``.
        backbone: The backbone's folder or hub name, or the model itself, which is changed in place. By default the
            value of the environment variable ``BOOLATTN_BACKBONE``, or else the recorded hub name.
        **kwargs: Arguments of ``SentenceTransformer`` for loading the backbone, such as ``device="cuda"``.

    Examples:
        >>> model = load("adapters/mine")  # doctest: +SKIP
        >>> model.encode_query("movies set in Vietnam but not about war")  # doctest: +SKIP
    """
    _require_shipped(str(folder))
    folder = Path(folder)
    if not folder.is_dir():
        raise UnknownModelError(f"no folder {str(folder)!r}: load takes the folder of an adapter")
    if not has_route(folder):
        raise UnknownModelError(
            f"{folder} contains no adapter of a model ({SETTINGS_FILE} with a query route): use DualEncoder "
            f"to load a whole saved model, load_adapter for the mechanism alone"
        )
    _, route = read_route(folder)
    if backbone is None:
        backbone = os.environ.get(BACKBONE_VARIABLE) or route.backbone
    return join_backbone(folder, load_backbone(backbone, str(folder), route.backbone, **kwargs))


def load_encoder(name: str, backbone: str | None = None) -> SentenceTransformer:
    """Load an adapter, a saved Boolean or plain model, or ``training-free:NAME``, a plain model made Boolean.

    A folder takes precedence over a hub model. ``backbone`` is only used for an adapter.
    """
    _require_shipped(name)
    if name and has_route(Path(name)):
        try:
            return load(name, backbone)
        except (OSError, ValueError) as error:
            raise UnknownModelError(str(error)) from error
    folder = name.removeprefix(TRAINING_FREE)
    try:
        if not folder:
            raise ValueError("the model name is empty")
        if name.startswith(TRAINING_FREE):
            return DualEncoder.training_free(folder)
        return DualEncoder(folder) if is_boolean(folder) else SentenceTransformer(folder)
    except (OSError, ValueError) as error:
        ignored = ""
        if backbone or os.environ.get(BACKBONE_VARIABLE):
            ignored = f"; --backbone and {BACKBONE_VARIABLE} are for adapters: offline, use the model's folder"
        raise UnknownModelError(
            f"cannot load {folder!r}: use a sentence-transformers folder or hub name, with {TRAINING_FREE} before it "
            f"to make it Boolean, or the folder of an adapter{ignored} ({error})"
        ) from error


def load_boolean(name: str, backbone: str | None = None) -> DualEncoder:
    """Load an adapter, a saved Boolean model, or ``training-free:NAME``."""
    model = as_boolean(load_encoder(name, backbone))
    if model is None:
        raise UnknownModelError(f"{name} is a plain embedding model: write {TRAINING_FREE}{name} to make it Boolean")
    return model


def title_of(name: str) -> str:
    """Return a model's name for tables; for a folder, its last two parts."""
    folder = name.removeprefix(TRAINING_FREE)
    prefix = name[: len(name) - len(folder)]
    return prefix + ("/".join(Path(folder).resolve().parts[-2:]) if Path(folder).is_dir() else folder)


def _require_shipped(name: str) -> None:
    """Refuse the name of an adapter that is no longer shipped, unless a folder has this name."""
    if name in _REMOVED and not Path(name).is_dir():
        raise UnknownModelError(
            f"{name} is no longer shipped: use --model {_REMOVED[name]} or its folder, in Python "
            f"SentenceTransformer({_REMOVED[name]!r}) with boolattn.signed_vectors or Searcher, which act on "
            f"exclusions; an index made with {name} stays valid"
        )


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
            f"three ways: load({name!r}, backbone=FOLDER) in Python, --backbone FOLDER on the command line, or "
            f"{BACKBONE_VARIABLE}=FOLDER in the environment ({error})"
        ) from error
