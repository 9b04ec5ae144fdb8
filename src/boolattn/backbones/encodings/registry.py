"""Encodings by name, for saved models and recipes."""

from collections.abc import Mapping
from typing import Any

from boolattn.backbones.encodings.bias import BiasEncoding, TwoSidedEncoding
from boolattn.backbones.encodings.encoding import Encoding
from boolattn.backbones.encodings.mechanism import MechanismEncoding

ENCODINGS: dict[str, type[Encoding]] = {kind.name: kind for kind in (BiasEncoding, TwoSidedEncoding, MechanismEncoding)}


def settings_of(encoding: Encoding) -> dict[str, Any]:
    """Return the settings of an encoding to save as JSON."""
    return {"encoding": encoding.name, **encoding.settings()}


def load_encoding(settings: Mapping[str, Any], folder: str | None = None) -> Encoding:
    """Restore a saved encoding.

    Args:
        settings: The output of ``settings_of``.
        folder: The folder of its weights, if any.
    """
    name = settings["encoding"]
    if name not in ENCODINGS:
        raise ValueError(f"encoding={name!r} is not one of {tuple(ENCODINGS)}")
    return ENCODINGS[name].load(settings, folder)
