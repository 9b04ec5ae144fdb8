"""Models by name: what a user writes after ``--model``."""

import os
from pathlib import Path
from typing import Any

from sentence_transformers import SentenceTransformer
from sentence_transformers.util import load_file_path

from boolattn.encoders.dual_encoder import DualEncoder
from boolattn.encoders.model_parts import as_boolean
from boolattn.encoders.query_tower import BooleanTower
from boolattn.encoders.storage.adapters import RECORD_FILE, is_shipped, join_backbone, read_record

TRAINING_FREE = "training-free:"  # before the name of a model: made Boolean, with nothing learned
BACKBONE_VARIABLE = "BOOLATTN_BACKBONE"

_PACKAGE = Path(__file__).parents[2]
# In an installed package; in a checkout, whose package lies in src/.
_HOMES = (_PACKAGE / "adapters", _PACKAGE.parents[1] / "adapters")
ADAPTERS = next((home for home in _HOMES if home.is_dir()), _HOMES[0])


class UnknownModelError(ValueError):
    """The name of a model leads to nothing that can be used."""


def shipped_adapters() -> list[str]:
    """Return the names of the adapters that come with boolattn."""
    return sorted(path.name for path in ADAPTERS.glob("*") if is_shipped(path))


def load(
    name_or_folder: str | Path, backbone: str | Path | SentenceTransformer | None = None, **kwargs: Any
) -> DualEncoder:
    """Load a shipped adapter with the backbone it was made with; a backbone of other weights is refused.

    Args:
        name_or_folder: One of ``shipped_adapters()``, or a folder that ``save_without_backbone`` wrote.
        backbone: The backbone's folder or hub name, or the model itself, which is changed in place. By default what
            the environment variable ``BOOLATTN_BACKBONE`` names, or else the recorded hub name.
        **kwargs: For loading the backbone, as ``SentenceTransformer`` takes them: ``device="cuda"``.

    Example:
        >>> model = load("minilm-l6")  # doctest: +SKIP
        >>> model.encode_query("movies set in Vietnam but not about war")  # doctest: +SKIP
    """
    folder = _shipped_folder(str(name_or_folder))
    if folder is None and Path(name_or_folder).is_dir():
        raise UnknownModelError(
            f"the folder {name_or_folder} holds no shipped adapter ({RECORD_FILE} and a tower): DualEncoder loads a "
            f"whole saved model, load_adapter the bare mechanism"
        )
    if folder is None:
        raise UnknownModelError(
            f"{str(name_or_folder)!r} is neither a folder nor a shipped adapter; shipped are {shipped_adapters()}"
        )
    record = read_record(folder)
    if backbone is None:
        backbone = os.environ.get(BACKBONE_VARIABLE) or record.backbone
    return join_backbone(folder, record, load_backbone(backbone, folder.resolve().name, record.backbone, **kwargs))


def load_encoder(name: str, backbone: str | None = None) -> SentenceTransformer:
    """Load a shipped adapter, a saved Boolean model, a plain one, or ``training-free:NAME``, a plain one made Boolean.

    A folder comes before a shipped adapter of that name, and that before a model of the hub. The backbone is that of
    a shipped adapter; other models bring their own.
    """
    if _shipped_folder(name) is not None:
        try:
            return load(name, backbone)
        except (OSError, ValueError) as error:
            raise UnknownModelError(str(error)) from error
    folder = name.removeprefix(TRAINING_FREE)
    try:
        if not folder:
            raise ValueError("the name is empty")
        if name.startswith(TRAINING_FREE):
            return DualEncoder.training_free(folder)
        return DualEncoder(folder) if _is_boolean(folder) else SentenceTransformer(folder)
    except (OSError, ValueError) as error:
        raise UnknownModelError(
            f"cannot load {folder!r}: give a sentence-transformers folder or hub name, or {TRAINING_FREE} and either, "
            f"to make it Boolean, or a shipped adapter, of {shipped_adapters()} ({error})"
        ) from error


def load_boolean(name: str, backbone: str | None = None) -> DualEncoder:
    """Load a shipped adapter or a saved Boolean model, or make one of ``training-free:NAME``."""
    model = as_boolean(load_encoder(name, backbone))
    if model is None:
        raise UnknownModelError(f"{name} is a plain embedding model: write {TRAINING_FREE}{name} to make it Boolean")
    return model


def title_of(name: str) -> str:
    """Return what to call a model in tables: of a folder, its last two names."""
    folder = name.removeprefix(TRAINING_FREE)
    prefix = name[: len(name) - len(folder)]
    return prefix + ("/".join(Path(folder).resolve().parts[-2:]) if Path(folder).is_dir() else folder)


def _shipped_folder(name: str) -> Path | None:
    """Return where a shipped adapter lies; a folder of that name comes first, whatever it holds."""
    if name and Path(name).is_dir():
        return Path(name) if is_shipped(Path(name)) else None
    return ADAPTERS / name if name in shipped_adapters() else None


def load_backbone(
    backbone: str | Path | SentenceTransformer, name: str, made_with: str, **kwargs: Any
) -> SentenceTransformer:
    """Load the backbone of an adapter."""
    if isinstance(backbone, SentenceTransformer):
        if kwargs:
            raise TypeError(f"{sorted(kwargs)} say how to load a backbone, and this one is loaded: leave them out")
        return backbone
    try:
        return SentenceTransformer(str(backbone), **kwargs)
    except (OSError, ValueError) as error:
        raise UnknownModelError(
            f"cannot load {str(backbone)!r}, the backbone for {name}. Name a folder that holds {made_with} in one of "
            f"three ways: load({name!r}, backbone=FOLDER) in Python, --backbone FOLDER on the command line, or "
            f"{BACKBONE_VARIABLE}=FOLDER in the environment ({error})"
        ) from error


def _is_boolean(name: str) -> bool:
    """Whether a folder or hub repository routes its queries through our tower."""
    routes = load_file_path(name, "router_config.json")
    return routes is not None and BooleanTower.__name__ in Path(routes).read_text(encoding="utf-8")
