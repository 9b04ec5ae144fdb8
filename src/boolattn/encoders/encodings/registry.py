"""Encodings by name, for saved models and recipes."""

from collections.abc import Mapping
from typing import Any

from boolattn.encoders.encodings.bias import BiasEncoding, TwoSidedEncoding
from boolattn.encoders.encodings.encoding import Encoding
from boolattn.encoders.encodings.mechanism import MechanismEncoding

ENCODINGS: dict[str, type[Encoding]] = {kind.name: kind for kind in (BiasEncoding, TwoSidedEncoding, MechanismEncoding)}
# Of models saved before readers were separate: what each kind of reading did with what it read.
_FORMER_NAMES = {
    "lexicon": BiasEncoding.name,
    "learned": TwoSidedEncoding.name,
    "mechanism": MechanismEncoding.name,
}


def settings_of(encoding: Encoding) -> dict[str, Any]:
    """Return what is saved of an encoding as JSON."""
    return {"encoding": encoding.name, **encoding.settings()}


def load_encoding(settings: Mapping[str, Any], folder: str | None = None) -> Encoding:
    """Return a saved encoding.

    Args:
        settings: What ``settings_of`` returned, in this version or an earlier one.
        folder: Where its weights lie, if it has any.
    """
    former = settings.get("reading")
    name = settings.get("encoding", BiasEncoding.name) if former is None else _FORMER_NAMES[former]
    if name not in ENCODINGS:
        raise ValueError(f"encoding={name!r} is not one of {tuple(ENCODINGS)}")
    return ENCODINGS[name].load(settings, folder)
