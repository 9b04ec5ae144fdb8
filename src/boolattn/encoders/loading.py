"""Models by name: what a user writes after ``--model``."""

from pathlib import Path

from sentence_transformers import SentenceTransformer
from sentence_transformers.util import load_file_path

from boolattn.encoders.sentence import DualEncoder
from boolattn.encoders.tower import BooleanTower

TRAINING_FREE = "training-free:"  # before the name of a model: made Boolean by rules, nothing learned


class UnknownModelError(ValueError):
    """The name of a model leads to nothing that can be used."""


def load_encoder(name: str) -> SentenceTransformer:
    """Load a saved Boolean model, a plain model, or, as ``training-free:NAME``, a plain model made Boolean."""
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
            f"to make it Boolean ({error})"
        ) from error


def load_boolean(name: str) -> DualEncoder:
    """Load a saved Boolean model, or make one of ``training-free:NAME``."""
    model = load_encoder(name)
    if not isinstance(model, DualEncoder):
        raise UnknownModelError(f"{name} is a plain embedding model: write {TRAINING_FREE}{name} to make it Boolean")
    return model


def title_of(name: str) -> str:
    """Return what to call a model in tables: of a folder, its last two names."""
    folder = name.removeprefix(TRAINING_FREE)
    prefix = name[: len(name) - len(folder)]
    return prefix + ("/".join(Path(folder).resolve().parts[-2:]) if Path(folder).is_dir() else folder)


def _is_boolean(name: str) -> bool:
    """Whether a folder or hub repository routes its queries through our tower."""
    routes = load_file_path(name, "router_config.json")
    return routes is not None and BooleanTower.__name__ in Path(routes).read_text(encoding="utf-8")
