"""What a mechanism with a learned gate understands of one query, in characters, and how sure it is."""

import torch
from torch import Tensor

from boolattn.encoders.reading_features import TRACE, TRUSTED_CONFIDENCE, mechanism_reading
from boolattn.encoders.token_reading import TokenReading, reading_on_characters
from boolattn.encoders.tower import BooleanTower
from boolattn.operators import OPERATORS
from boolattn.reading.reading import Reading


@torch.inference_mode()
def understand_by_mechanism(tower: BooleanTower, query: str, prompt: str = "") -> Reading:
    """Let the mechanism of a tower, in evaluation mode, read a query; it looks for scopes only where a gate opens."""
    if not tower.has_learned_gate:
        raise ValueError(
            "this model is told which operators a query holds, and cannot say: it has no learned gate. Ask the rules "
            "(boolattn.reading.rules.rule_reader.RuleReader), or train a mechanism with gate='learned'"
        )
    features, offsets = tower.with_offsets([query], prompt, task="query")
    device = tower.transformer.auto_model.device
    features = {name: value.to(device) if torch.is_tensor(value) else value for name, value in features.items()}
    trace = tower(features)[TRACE]
    gates = torch.sigmoid(trace.gate_logits[0])
    own = torch.tensor([[[float(first < last)] for first, last in offsets[0]]])  # (1, L, 1)
    found = TokenReading(*(_for_all(each > TRUSTED_CONFIDENCE, trace.operators) for each in mechanism_reading(trace)))
    found = TokenReading(found.gates, found.cues * own, found.scopes * own)
    sure = float(torch.maximum(gates, 1 - gates).min())
    return reading_on_characters(found, offsets[0], query, sure, "mechanism", "mechanism")


def _for_all(marks: Tensor, operators: tuple[str, ...]) -> Tensor:
    """Return a column for every operator, also for those that the mechanism does not know."""
    columns = [marks[..., operators.index(name)] if name in operators else marks[..., 0] * 0 for name in OPERATORS]
    return torch.stack([each.float().cpu() for each in columns], dim=-1)
