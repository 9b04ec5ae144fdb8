"""The reading of a mechanism with a learned gate, in characters, with its confidence."""

from collections.abc import Sequence

import torch
from torch import Tensor

from boolattn.backbones.query_tower import BooleanTower
from boolattn.backbones.token_reading import TRACE, TokenReading, mechanism_reading, reading_on_characters
from boolattn.operators import OPERATORS
from boolattn.reading.reading import Reading

MORE_LIKELY_THAN_NOT = 0.5


class MechanismReader:
    """Reads with a tower's mechanism, which reads the query again when encoding it."""

    name = "mechanism 1"

    def __init__(self, tower: BooleanTower, prompt: str = "") -> None:
        """Use a tower in evaluation mode, whose mechanism has a learned gate.

        Args:
            tower: The query tower.
            prompt: Text that the model adds before a query.
        """
        if not tower.has_learned_gate:
            raise ValueError(
                "this model cannot find a query's operators, because it has no learned gate. Use "
                "boolattn.reading.readers.reader_of(), or train a mechanism with gate='learned'"
            )
        self._tower, self._prompt = tower, prompt

    def read(self, queries: Sequence[str]) -> list[Reading]:
        """Read queries one by one; scopes are computed only if a gate opens."""
        return [self._read(query) for query in queries]

    @torch.inference_mode()
    def _read(self, query: str) -> Reading:
        features, offsets = self._tower.with_offsets([query], self._prompt, task="query")
        device = self._tower.transformer.auto_model.device
        features = {name: value.to(device) if torch.is_tensor(value) else value for name, value in features.items()}
        trace = self._tower(features)[TRACE]
        gates = torch.sigmoid(trace.gate_logits[0])
        own = torch.tensor([[[float(first < last)] for first, last in offsets[0]]])  # (1, L, 1)
        likely = (each > MORE_LIKELY_THAN_NOT for each in mechanism_reading(trace))
        found = TokenReading(*(_for_all(each, trace.operators) for each in likely))
        found = TokenReading(found.gates, found.cues * own, found.scopes * own)
        confidence = float(torch.maximum(gates, 1 - gates).min())
        return reading_on_characters(found, offsets[0], query, confidence, "mechanism", self.name)


def _for_all(marks: Tensor, operators: tuple[str, ...]) -> Tensor:
    """Return a column for every operator, including those that the mechanism does not have."""
    columns = [marks[..., operators.index(name)] if name in operators else marks[..., 0] * 0 for name in OPERATORS]
    return torch.stack([each.float().cpu() for each in columns], dim=-1)
