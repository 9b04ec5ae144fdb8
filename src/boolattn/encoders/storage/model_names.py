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

_PACKAGE = Path(__file__).parents[2]
# In an installed package, or in a checkout.
_HOMES = (_PACKAGE / "adapters", _PACKAGE.parents[1] / "adapters")
ADAPTERS = next((home for home in _HOMES if home.is_dir()), _HOMES[0])


class UnknownModelError(ValueError):
    """A model name that cannot be resolved or used."""


def shipped_adapters() -> list[str]:
    """Return the names of the adapters that come with boolattn."""
    return sorted(path.name for path in ADAPTERS.glob("*") if has_route(path))


def load(
    name_or_folder: str | Path, backbone: str | Path | SentenceTransformer | None = None, **kwargs: Any
) -> DualEncoder:
    """Load a shipped adapter with its backbone; a backbone with other weights is refused.

    Args:
        name_or_folder: One of ``shipped_adapters()``, or a folder from ``save_without_backbone``; a folder with the
            name of a shipped adapter requires an explicit path: ``"./minilm-l6"``.
        backbone: The backbone's folder or hub name, or the model itself, which is changed in place. By default the
            value of the environment variable ``BOOLATTN_BACKBONE``, or else the recorded hub name.
        **kwargs: Arguments of ``SentenceTransformer`` for loading the backbone, such as ``device="cuda"``.

    Examples:
        >>> model = load("minilm-l6")  # doctest: +SKIP
        >>> model.encode_query("movies set in Vietnam but not about war")  # doctest: +SKIP
    """
    folder = _adapter_folder(name_or_folder)
    if folder is None and Path(name_or_folder).is_dir():
        raise UnknownModelError(
            f"{name_or_folder} contains no shipped adapter ({SETTINGS_FILE} with a query route): use DualEncoder "
            f"to load a whole saved model, load_adapter for the mechanism alone"
        )
    if folder is None:
        raise UnknownModelError(
            f"{str(name_or_folder)!r} is neither a folder nor a shipped adapter; use one of {shipped_adapters()}"
        )
    _, route = read_route(folder)
    if backbone is None:
        backbone = os.environ.get(BACKBONE_VARIABLE) or route.backbone
    return join_backbone(folder, load_backbone(backbone, folder.resolve().name, route.backbone, **kwargs))


def load_encoder(name: str, backbone: str | None = None) -> SentenceTransformer:
    """Load a shipped adapter, a saved Boolean or plain model, or ``training-free:NAME``, a plain model made Boolean.

    A shipped adapter takes precedence over a folder of the same name, which requires an explicit path
    (``./minilm-l6``), and a folder over a hub model. ``backbone`` is only used for a shipped adapter.
    """
    if _adapter_folder(name) is not None:
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
        raise UnknownModelError(
            f"cannot load {folder!r}: use a sentence-transformers folder or hub name, with {TRAINING_FREE} before it "
            f"to make it Boolean, or a shipped adapter from {shipped_adapters()} ({error})"
        ) from error


def load_boolean(name: str, backbone: str | None = None) -> DualEncoder:
    """Load a shipped adapter, a saved Boolean model, or ``training-free:NAME``."""
    model = as_boolean(load_encoder(name, backbone))
    if model is None:
        raise UnknownModelError(f"{name} is a plain embedding model: write {TRAINING_FREE}{name} to make it Boolean")
    return model


def title_of(name: str) -> str:
    """Return a model's name for tables; for a folder, its last two parts."""
    folder = name.removeprefix(TRAINING_FREE)
    prefix = name[: len(name) - len(folder)]
    return prefix + ("/".join(Path(folder).resolve().parts[-2:]) if Path(folder).is_dir() else folder)


def _adapter_folder(name: str | Path) -> Path | None:
    """Return the folder of a shipped adapter, or of an adapter at a path; None if there is none.

    A shipped adapter's name takes precedence over a folder in the working directory.
    """
    if isinstance(name, str) and name in shipped_adapters():
        return ADAPTERS / name
    return Path(name) if name and has_route(Path(name)) else None


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
