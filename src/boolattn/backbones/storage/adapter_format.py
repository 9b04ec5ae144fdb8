"""The format of an adapter, the parts added to a backbone: ``boolattn.json`` and ``boolattn.safetensors``.

A mechanism attached to an encoder and the query route of a Boolean model are saved in the same two files.
"""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import torch
from safetensors.torch import load as tensors_in
from safetensors.torch import save_file
from torch import Tensor

from boolattn.backbones.storage.checksums import ChangedWeightsError
from boolattn.backbones.storage.sound_weights import require_finite
from boolattn.reading.model_files import file_digest, settings_digest
from boolattn.version import __version__

SETTINGS_FILE = "boolattn.json"
WEIGHTS_FILE = "boolattn.safetensors"
MECHANISM, READOUT = "mechanism.", "readout."  # prefixes of weight names


@dataclasses.dataclass(frozen=True)
class MechanismSettings:
    """A mechanism.

    Attributes:
        backbone: Family and sizes of the encoders it fits.
        config: Its ``BoolAttnConfig``.
    """

    backbone: dict[str, Any]
    config: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class RouteSettings:
    """The query route of a Boolean model.

    Attributes:
        backbone: The hub ID of the model it was made with.
        fingerprint: Fingerprint of that model's weights.
        dtype: Data type of that model's weights; fingerprints of different types cannot be compared.
        tower: The settings of the query tower.
        readout: The class that pools the query's tokens into a vector.
        pooling: The settings of that class.
    """

    backbone: str
    fingerprint: str
    dtype: str
    tower: dict[str, Any]
    readout: str
    pooling: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Adapter:
    """The parts added to a backbone.

    Attributes:
        mechanism: The mechanism; None if there is none.
        route: The query route; None if only a mechanism was saved.
        weights: Weights of the mechanism and of the readout, each under its prefix.
        boolattn: The version that wrote it.
    """

    mechanism: MechanismSettings | None = None
    route: RouteSettings | None = None
    weights: Mapping[str, Tensor] = dataclasses.field(default_factory=dict)
    boolattn: str = __version__

    def weights_under(self, prefix: str) -> dict[str, Tensor]:
        """Return the weights of one part, without the prefix."""
        return {name.removeprefix(prefix): each for name, each in self.weights.items() if name.startswith(prefix)}


@dataclasses.dataclass(frozen=True)
class _Settings:
    """The content of ``boolattn.json``."""

    boolattn: str
    weights: str  # the sha256 of the weights file
    mechanism: MechanismSettings | None = None
    route: RouteSettings | None = None
    checksum: str = ""  # the sha256 of all the above

    def digest(self) -> str:
        return settings_digest(dataclasses.asdict(self))


def write_adapter(adapter: Adapter, folder: str | Path) -> None:
    """Write an adapter; weights are stored in half precision if that loses nothing."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    save_file(_halved(adapter.weights), folder / WEIGHTS_FILE)
    digest = file_digest(folder / WEIGHTS_FILE)
    settings = _Settings(adapter.boolattn, digest, adapter.mechanism, adapter.route)
    text = json.dumps(dataclasses.asdict(dataclasses.replace(settings, checksum=settings.digest())), indent=2)
    (folder / SETTINGS_FILE).write_text(text + "\n", encoding="utf-8")


def read_adapter(folder: str | Path) -> Adapter:
    """Read an adapter, after verifying its checksums. Nothing in it is executed."""
    folder = Path(folder)
    try:
        found = msgspec.json.decode((folder / SETTINGS_FILE).read_bytes(), type=_Settings)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{folder / SETTINGS_FILE} is damaged: get the adapter again ({error})") from error
    if found.checksum != found.digest():
        raise ChangedWeightsError.of(SETTINGS_FILE, str(folder), missing=False)
    weights = tensors_in(_unchanged(folder, WEIGHTS_FILE, found.weights))
    require_finite(weights, str(folder))
    return Adapter(found.mechanism, found.route, weights, found.boolattn)


def has_route(folder: Path) -> bool:
    """Whether a folder is an adapter with a query route; True for damaged settings, so that reading reports them."""
    if not (folder / SETTINGS_FILE).is_file():
        return False
    try:
        return msgspec.json.decode((folder / SETTINGS_FILE).read_bytes(), type=_Settings).route is not None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return True


def _unchanged(folder: Path, name: str, digest: str) -> bytes:
    """Return the content of a weight file, after verifying its checksum."""
    content = (folder / name).read_bytes() if (folder / name).exists() else None
    if content is None or hashlib.sha256(content).hexdigest() != digest:
        raise ChangedWeightsError.of(name, str(folder), missing=content is None)
    return content


def _halved(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    both = {name: (each.contiguous(), each.half().contiguous()) for name, each in weights.items()}
    return {name: half if torch.equal(half.to(full), full) else full for name, (full, half) in both.items()}
