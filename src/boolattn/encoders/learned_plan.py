"""What the learned reader understands of one query, in characters, and how sure it is."""

import torch

from boolattn.encoders.reading_features import TRACE, TRUSTED_CONFIDENCE, certain, for_reader
from boolattn.encoders.token_reading import reading_on_characters
from boolattn.encoders.tower import BooleanTower
from boolattn.reading.reading import Reading
from boolattn.reading.understanding import LEXICON_CONFIDENCE


@torch.inference_mode()
def understand(tower: BooleanTower, query: str, prompt: str = "") -> Reading:
    """Let the reader of a tower, in evaluation mode, read a query in plain words."""
    features, offsets = tower.with_offsets([query], prompt, task="query")
    features |= for_reader([query], [None], offsets)
    device = tower.transformer.auto_model.device
    features = {name: value.to(device) if torch.is_tensor(value) else value for name, value in features.items()}
    features = tower.read(features)
    gates, found = features[TRACE].gates[0], certain(features)
    by_rules = (found.gates[0] > 0) & (gates <= TRUSTED_CONFIDENCE)
    sure = torch.where(by_rules, LEXICON_CONFIDENCE, torch.maximum(gates, 1 - gates))
    return reading_on_characters(found, offsets[0], query, float(sure.min()), "learned", "reader of the adapter")
