"""A Boolean model apart from its backbone: what was added to it, and with which weights that was learned."""

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any, cast

import msgspec
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling
from torch import nn

from boolattn.encoders.attach.plugin import base_of
from boolattn.encoders.dual_encoder import DualEncoder
from boolattn.encoders.query_tower import BooleanTower
from boolattn.encoders.storage.checksums import digests_of, verify_digests
from boolattn.encoders.storage.fingerprint import weights_of
from boolattn.encoders.storage.plain_models import plain_modules
from boolattn.encoders.vectors.signed_pooling import SignedPooling
from boolattn.version import __version__

RECORD_FILE = "boolattn.json"
TOWER, READOUT = "tower", "readout"  # the folders of the query route's two modules
READOUTS: dict[str, type[Pooling]] = {kind.__name__: kind for kind in (Pooling, SignedPooling)}
# Files lie in a folder: nothing is looked up on the hub.
HERE: dict[str, Any] = {"token": None, "cache_folder": None, "revision": None, "local_files_only": True}


class WrongBackboneError(ValueError):
    """The backbone is not the one the adapter was made with."""


@dataclasses.dataclass(frozen=True)
class Record:
    """What ``boolattn.json`` says of a shipped adapter.

    Attributes:
        backbone: The hub id of the model it was made with.
        fingerprint: Of that model's weights.
        dtype: Of that model's weights; fingerprints of different ones cannot be compared.
        readout: Which of ``READOUTS`` makes a vector of the query's tokens.
        weights: The sha256 of every weight file.
        boolattn: The version that wrote it.
    """

    backbone: str
    fingerprint: str
    dtype: str
    readout: str
    weights: dict[str, str]
    boolattn: str = __version__


def save_without_backbone(model: DualEncoder, folder: str | Path, backbone: str) -> None:
    """Write what a Boolean model adds to its backbone, for ``boolattn.load`` to put together again.

    Args:
        model: The model; its backbone's weights must be those of ``backbone``, not trained along.
        folder: Where to; its name is the adapter's name.
        backbone: The hub id of the backbone, such as ``"sentence-transformers/all-MiniLM-L6-v2"``.
    """
    folder, kind = Path(folder), type(model.readout).__name__
    if kind not in READOUTS:
        raise ValueError(f"a {kind} cannot be shipped; known readouts are {list(READOUTS)}")
    for part, module in ((TOWER, model.tower), (READOUT, model.readout)):
        (folder / part).mkdir(parents=True, exist_ok=True)
        for old in (folder / part).rglob("*.safetensors"):
            old.unlink()  # of an earlier save, which may have had more of them
        module.save(str(folder / part))
    plain, weights = model.document_encoder(), digests_of(folder, (TOWER, READOUT))
    record = Record(backbone, backbone_fingerprint(plain), _dtype(plain), readout=kind, weights=weights)
    (folder / RECORD_FILE).write_text(json.dumps(dataclasses.asdict(record), indent=2) + "\n", encoding="utf-8")


def require_backbone(model: DualEncoder, plain: SentenceTransformer, name: str) -> None:
    """Raise where ``plain``, the backbone ``name`` that users have, would be refused for what the model adds to it."""
    own = model.document_encoder()
    try:
        _require_same_weights(Record(name, backbone_fingerprint(own), _dtype(own), readout="", weights={}), plain)
        _require_same_pooling(model.readout, _modules(plain)[1])
    except WrongBackboneError as error:
        raise WrongBackboneError(
            f"the model's documents are not encoded as by {name}, so its adapter could never be loaded: train with "
            f"learns = 'adapter', or hand on the whole folder of the model, for DualEncoder to load ({error})"
        ) from error


def round_to_half(model: DualEncoder) -> None:
    """Round what was learned, in place, to what half precision can hold: half the size, to be measured as it is."""
    tower = model.tower
    for module in (tower, model.readout, *tower.encoding.learned_modules(tower.encoder)):
        for weight in module.parameters():
            weight.data = weight.data.half().to(weight.dtype)


def is_shipped(folder: Path) -> bool:
    """Whether a folder holds what ``save_without_backbone`` wrote; ``save_adapter``, too, writes a boolattn.json."""
    return (folder / RECORD_FILE).is_file() and (folder / TOWER).is_dir()


def read_record(folder: Path) -> Record:
    """Read what a folder says of its adapter, after checking that no weight file has changed."""
    try:
        record = msgspec.json.decode((folder / RECORD_FILE).read_bytes(), type=Record)
    except msgspec.DecodeError as error:
        raise ValueError(f"{folder / RECORD_FILE} is damaged: get the adapter again ({error})") from error
    if record.readout not in READOUTS:
        raise ValueError(
            f"the adapter in {folder} was saved by boolattn {record.boolattn} with a readout {record.readout!r} that "
            f"this version, {__version__}, does not know: update boolattn"
        )
    verify_digests(str(folder), record.weights, **HERE)
    return record


def join_backbone(folder: Path, record: Record, plain: SentenceTransformer) -> DualEncoder:
    """Make a Boolean model, in place, of the backbone an adapter was made with; any other is refused."""
    pooling = _modules(plain)[1]
    _require_same_weights(record, plain)
    tower = BooleanTower.load(str(folder), subfolder=TOWER, **HERE)
    readout = READOUTS[record.readout].load(str(folder), subfolder=READOUT, **HERE)
    _require_same_pooling(readout, pooling)
    return DualEncoder.joining(plain, tower, readout)


def backbone_fingerprint(plain: SentenceTransformer) -> str:
    """Return the sha256 of a model's weights: the same on any device, from any files, with any attention.

    Left out are BoolAttn's own, and the pooler of BERT and its kin: no sentence vector rests on it, and it is random
    where a checkpoint has none.
    """
    transformer, _, *rest = _modules(plain)
    digest = hashlib.sha256()
    for place, module in enumerate((base_of(transformer.auto_model), *rest)):
        for said, content in weights_of(cast(nn.Module, module)):
            if place > 0 or not said.startswith("pooler."):
                digest.update(f"{place} {said}".encode())
                digest.update(content)
    return digest.hexdigest()


def _require_same_weights(record: Record, plain: SentenceTransformer) -> None:
    if (dtype := _dtype(plain)) != record.dtype:
        raise WrongBackboneError(
            f"the backbone is loaded as {dtype}, but the adapter was made with {record.backbone} as {record.dtype}, "
            f"and weights are compared bit by bit: load it as {record.dtype}, with "
            f"model_kwargs={{'dtype': '{record.dtype}'}}, and change the precision of the model you get"
        )
    if (found := backbone_fingerprint(plain)) != record.fingerprint:
        raise WrongBackboneError(
            f"the adapter was made with {record.backbone}; the backbone given has other weights (fingerprint "
            f"{found[:12]}, not {record.fingerprint[:12]}): give an unchanged copy of {record.backbone}"
        )


def _require_same_pooling(readout: Pooling, pooling: Pooling) -> None:
    ours, theirs = readout.get_config_dict(), pooling.get_config_dict()
    if differing := {name: value for name, value in theirs.items() if ours.get(name) != value}:
        wanted = {name: ours.get(name) for name in differing}
        raise WrongBackboneError(f"the backbone pools with {differing}, the adapter was made for {wanted}")


def _modules(plain: SentenceTransformer) -> list[Any]:
    try:
        return plain_modules(plain)
    except ValueError as error:
        raise WrongBackboneError(str(error)) from error


def _dtype(plain: SentenceTransformer) -> str:
    return str(next(base_of(_modules(plain)[0].auto_model).parameters()).dtype).removeprefix("torch.")
