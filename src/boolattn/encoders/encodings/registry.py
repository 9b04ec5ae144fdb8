"""Encodings by name, for saved models and recipes."""

from collections.abc import Mapping
from typing import Any

from boolattn.encoders.encodings.bias import BiasEncoding, TwoSidedEncoding
from boolattn.encoders.encodings.encoding import Encoding
from boolattn.encoders.encodings.mechanism import MechanismEncoding

ENCODINGS: dict[str, type[Encoding]] = {kind.name: kind for kind in (BiasEncoding, TwoSidedEncoding, MechanismEncoding)}
# For models saved before readers were separate: kind of reading -> encoding.
_FORMER_NAMES = {
    "lexicon": BiasEncoding.name,
    "learned": TwoSidedEncoding.name,
    "mechanism": MechanismEncoding.name,
}


def settings_of(encoding: Encoding) -> dict[str, Any]:
    """Return the settings of an encoding to save as JSON."""
    return {"encoding": encoding.name, **encoding.settings()}


def load_encoding(settings: Mapping[str, Any], folder: str | None = None) -> Encoding:
    """Restore a saved encoding.

    Args:
        settings: The output of ``settings_of``, from this version or an earlier one.
        folder: The folder of its weights, if any.
    """
    former = settings.get("reading")
    name = settings.get("encoding", BiasEncoding.name) if former is None else _FORMER_NAMES.get(former, former)
    if name not in ENCODINGS:
        raise ValueError(f"encoding={name!r} is not one of {tuple(ENCODINGS)}")
    return ENCODINGS[name].load(settings, folder)
