"""Boolean models stored without their backbone: the added parts, and a fingerprint of the backbone's weights."""

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling
from torch import nn

from boolattn.backbones.attach.plugin import base_of
from boolattn.backbones.dual_encoder import DualEncoder
from boolattn.backbones.query_tower import BooleanTower
from boolattn.backbones.signed_pooling import SignedPooling
from boolattn.backbones.storage.adapter_format import (
    READOUT,
    Adapter,
    RouteSettings,
    read_adapter,
    write_adapter,
)
from boolattn.backbones.storage.fingerprint import weights_of
from boolattn.backbones.storage.plain_models import plain_modules
from boolattn.backbones.storage.sound_weights import require_fitting
from boolattn.version import __version__

READOUTS: dict[str, type[Pooling]] = {kind.__name__: kind for kind in (Pooling, SignedPooling)}


class WrongBackboneError(ValueError):
    """The backbone is not the one the adapter was made with."""


def save_without_backbone(model: DualEncoder, folder: str | Path, backbone: str) -> None:
    """Write the parts that a Boolean model adds to its backbone, for ``boolattn.load_encoder``.

    Args:
        model: The model; its backbone must have the weights of ``backbone``, not further trained.
        folder: The output folder.
        backbone: The hub ID of the backbone, such as ``"sentence-transformers/all-MiniLM-L6-v2"``.
    """
    if model.tower.transformer is not model.document_encoder()[0]:
        raise ValueError("a model with separate towers cannot be shipped as an adapter: ship its whole folder")
    tower = model.tower
    tower.warn_of_unsaved_reader()
    learned, readout = tower.encoding.adapter(tower.encoder), model.readout.state_dict()
    weights = {**learned.weights, **{READOUT + name: value for name, value in readout.items()}}
    write_adapter(dataclasses.replace(learned, route=route_of(model, backbone), weights=weights), folder)


def route_of(model: DualEncoder, backbone: str) -> RouteSettings:
    """Return the query route of a model, as its adapter records it."""
    plain, readout = model.document_encoder(), model.readout
    if (kind := type(readout).__name__) not in READOUTS:
        raise ValueError(f"a {kind} cannot be shipped; known readouts are {list(READOUTS)}")
    tower = model.tower.get_config_dict()
    return RouteSettings(backbone, backbone_fingerprint(plain), _dtype(plain), tower, kind, readout.get_config_dict())


def read_route(folder: Path) -> tuple[Adapter, RouteSettings]:
    """Read the adapter in a folder; return it and its query route."""
    adapter = read_adapter(folder)
    if adapter.route is None:
        raise ValueError(f"the adapter in {folder} is a mechanism alone: attach it with load_adapter(encoder, folder)")
    if adapter.route.readout not in READOUTS:
        raise ValueError(
            f"the adapter in {folder} was saved by boolattn {adapter.boolattn} with a readout "
            f"{adapter.route.readout!r} that this version, {__version__}, does not know: update boolattn"
        )
    return adapter, adapter.route


def join_backbone(folder: Path, plain: SentenceTransformer) -> DualEncoder:
    """Add an adapter to its backbone, in place; a backbone with other weights is refused."""
    adapter, route = read_route(folder)
    require_same_weights(route, plain)
    require_same_pooling(route.pooling, plain)
    tower = BooleanTower.from_settings(route.tower, str(folder))
    kind, weights = READOUTS[route.readout], adapter.weights_under(READOUT)
    shapes = {name: tuple(each.shape) for name, each in weights.items()}
    require_fitting(lambda: kind(**route.pooling), shapes, str(folder))
    readout = kind(**route.pooling)
    readout.load_state_dict(weights)
    return DualEncoder.joining(plain, tower, readout)


def backbone_fingerprint(plain: SentenceTransformer) -> str:
    """Return the sha256 of a model's weights, independent of device, files and attention implementation.

    BoolAttn's own weights are excluded, and so is the pooler of BERT-like models: no sentence vector depends on it, and
    it is random if a checkpoint has none.
    """
    transformer, _, *rest = _modules(plain)
    digest = hashlib.sha256()
    for place, module in enumerate((base_of(transformer.auto_model), *rest)):
        for description, content in weights_of(cast(nn.Module, module)):
            if place > 0 or not description.startswith("pooler."):
                digest.update(f"{place} {description}".encode())
                digest.update(content)
    return digest.hexdigest()


def require_same_weights(route: RouteSettings, plain: SentenceTransformer) -> None:
    """Raise if a backbone has other weights than the one an adapter was made with."""
    if (dtype := _dtype(plain)) != route.dtype:
        raise WrongBackboneError(
            f"the backbone is loaded as {dtype}, but the adapter was made with {route.backbone} as {route.dtype}, "
            f"and weights are compared bit by bit: load it as {route.dtype}, with "
            f"model_kwargs={{'dtype': '{route.dtype}'}}, and convert the resulting model afterwards"
        )
    if (found := backbone_fingerprint(plain)) != route.fingerprint:
        raise WrongBackboneError(
            f"the adapter was made with {route.backbone}; the backbone given has other weights (fingerprint "
            f"{found[:12]}, not {route.fingerprint[:12]}): use an unchanged copy of {route.backbone}"
        )


def require_same_pooling(ours: Mapping[str, Any], plain: SentenceTransformer) -> None:
    """Raise if a backbone pools in another way."""
    theirs = _modules(plain)[1].get_config_dict()
    if differing := {name: value for name, value in theirs.items() if ours.get(name) != value}:
        wanted = {name: ours.get(name) for name in differing}
        raise WrongBackboneError(f"the backbone pools with {differing}, but the adapter was made for {wanted}")


def _modules(plain: SentenceTransformer) -> list[Any]:
    try:
        return plain_modules(plain)
    except ValueError as error:
        raise WrongBackboneError(str(error)) from error


def _dtype(plain: SentenceTransformer) -> str:
    return str(next(base_of(_modules(plain)[0].auto_model).parameters()).dtype).removeprefix("torch.")
