"""Models by name: what a user writes after ``--model``."""

from pathlib import Path

from sentence_transformers import SentenceTransformer

from boolattn.encoders.checksums import CHECKSUMS_FILE
from boolattn.encoders.sentence import DualEncoder

TRAINING_FREE = "training-free:"  # before the name of a model: made Boolean by rules, nothing learned


class UnknownModelError(ValueError):
    """The name of a model leads to nothing."""


def load_encoder(name: str) -> SentenceTransformer:
    """Load a saved Boolean model, a plain model, or, as ``training-free:NAME``, a plain model made Boolean."""
    folder = name.removeprefix(TRAINING_FREE)
    try:
        if name.startswith(TRAINING_FREE):
            return DualEncoder.training_free(folder)
        boolean = (Path(folder) / CHECKSUMS_FILE).exists()
        return DualEncoder(folder) if boolean else SentenceTransformer(folder)
    except OSError as error:
        raise UnknownModelError(
            f"no model {folder!r}: give a sentence-transformers folder or hub name, or {TRAINING_FREE} and either, to "
            f"make it Boolean ({error})"
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
