"""What must hold of a trained model before its adapter ships."""

from sentence_transformers import SentenceTransformer

from boolattn.backbones.dual_encoder import DualEncoder
from boolattn.backbones.storage.adapters import (
    WrongBackboneError,
    require_same_pooling,
    require_same_weights,
    route_of,
)


def require_backbone(model: DualEncoder, plain: SentenceTransformer, name: str) -> None:
    """Raise if the model's adapter could not be loaded with ``plain``, the users' copy of the backbone ``name``."""
    try:
        require_same_weights(route_of(model, name), plain)
        require_same_pooling(model.readout.get_config_dict(), plain)
    except WrongBackboneError as error:
        raise WrongBackboneError(
            f"the model's backbone differs from {name}, so its adapter could never be loaded: train with "
            f"learns = 'adapter', or ship the whole model folder, which DualEncoder loads ({error})"
        ) from error


def round_to_half(model: DualEncoder) -> None:
    """Round learned weights to half precision, in place, so that the evaluated model is the shipped one."""
    tower = model.tower
    for module in (tower, model.readout, *tower.encoding.learned_modules(tower.encoder)):
        for weight in module.parameters():
            weight.data = weight.data.half().to(weight.dtype)
