"""The format of an adapter, the parts added to a backbone: ``boolattn.json`` and ``boolattn.safetensors``.

A mechanism attached to an encoder and the query route of a Boolean model are saved in the same two files. The two
layouts of earlier versions are converted on reading.
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
from safetensors.torch import load_file, save_file
from torch import Tensor

from boolattn.encoders.storage.checksums import ChangedWeightsError
from boolattn.encoders.storage.sound_weights import require_finite
from boolattn.version import __version__

SETTINGS_FILE = "boolattn.json"
WEIGHTS_FILE = "boolattn.safetensors"
MECHANISM, READOUT = "mechanism.", "readout."  # prefixes of weight names
FORMER_TOWER, FORMER_READOUT = "tower", "readout"  # folders of a query route saved before 0.1.0


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
        values = {name: value for name, value in dataclasses.asdict(self).items() if name != "checksum"}
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


@dataclasses.dataclass(frozen=True)
class _FormerRoute:
    """The content of a ``boolattn.json`` saved with a query route before 0.1.0."""

    backbone: str
    fingerprint: str
    dtype: str
    readout: str
    weights: dict[str, str]  # the sha256 of each weight file
    boolattn: str


def write_adapter(adapter: Adapter, folder: str | Path) -> None:
    """Write an adapter; weights are stored in half precision if that loses nothing."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    save_file(_halved(adapter.weights), folder / WEIGHTS_FILE)
    digest = hashlib.sha256((folder / WEIGHTS_FILE).read_bytes()).hexdigest()
    settings = _Settings(adapter.boolattn, digest, adapter.mechanism, adapter.route)
    text = json.dumps(dataclasses.asdict(dataclasses.replace(settings, checksum=settings.digest())), indent=2)
    (folder / SETTINGS_FILE).write_text(text + "\n", encoding="utf-8")


def read_adapter(folder: str | Path) -> Adapter:
    """Read an adapter, after verifying its checksums. Nothing in it is executed.

    Settings saved before 0.1.0 have no checksum; of those, only the weights are verified, if they have one.
    """
    adapter = _adapter_in(Path(folder))
    require_finite(adapter.weights, str(folder))
    return adapter


def _adapter_in(folder: Path) -> Adapter:
    try:
        values = _settings_in(folder)
        if "config" in values:
            return _former_mechanism(folder, values)
        if isinstance(values.get("backbone"), str):
            return _former_route(folder, msgspec.convert(values, _FormerRoute))
        found = msgspec.convert(values, _Settings)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{folder / SETTINGS_FILE} is damaged: get the adapter again ({error})") from error
    if found.checksum != found.digest():
        raise ChangedWeightsError.of(SETTINGS_FILE, str(folder), missing=False)
    weights = tensors_in(_unchanged(folder, WEIGHTS_FILE, found.weights))
    return Adapter(found.mechanism, found.route, weights, found.boolattn)


def has_route(folder: Path) -> bool:
    """Whether a folder is an adapter with a query route; True for damaged settings, so that reading reports them."""
    if not (folder / SETTINGS_FILE).is_file():
        return False
    try:
        values = _settings_in(folder)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return True
    return values.get("route") is not None or isinstance(values.get("backbone"), str)


def _settings_in(folder: Path) -> dict[str, Any]:
    return msgspec.json.decode((folder / SETTINGS_FILE).read_bytes(), type=dict[str, Any])


def _former_mechanism(folder: Path, values: Mapping[str, Any]) -> Adapter:
    settings = msgspec.convert(values, MechanismSettings)
    return Adapter(settings, weights=_prefixed(MECHANISM, load_file(folder / WEIGHTS_FILE)), boolattn="0.1.0")


def _former_route(folder: Path, record: _FormerRoute) -> Adapter:
    for name, digest in record.weights.items():
        _unchanged(folder, name, digest)
    tower, readout = folder / FORMER_TOWER, folder / FORMER_READOUT
    settings, pooling = (json.loads(path.read_text(encoding="utf-8")) for path in (
        tower / "boolean_tower.json", readout / "config.json"
    ))  # fmt: skip
    weights_file = readout / "model.safetensors"
    weights = _prefixed(READOUT, load_file(weights_file)) if weights_file.exists() else {}
    mechanism = _adapter_in(tower) if (tower / SETTINGS_FILE).exists() else Adapter()
    route = RouteSettings(record.backbone, record.fingerprint, record.dtype, settings, record.readout, pooling)
    return Adapter(mechanism.mechanism, route, {**mechanism.weights, **weights}, record.boolattn)


def _unchanged(folder: Path, name: str, digest: str) -> bytes:
    """Return the content of a weight file, after verifying its checksum."""
    content = (folder / name).read_bytes() if (folder / name).exists() else None
    if content is None or hashlib.sha256(content).hexdigest() != digest:
        raise ChangedWeightsError.of(name, str(folder), missing=content is None)
    return content


def _prefixed(prefix: str, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {prefix + name: each for name, each in weights.items()}


def _halved(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    both = {name: (each.contiguous(), each.half().contiguous()) for name, each in weights.items()}
    return {name: half if torch.equal(half.to(full), full) else full for name, (full, half) in both.items()}
