import torch

from boolattn.encoders.storage.fingerprint import fingerprint
from tests.encoders.tiny import tiny


def test_same_weights_same_fingerprint_and_any_change_shows():
    model = tiny("bert")
    before = fingerprint(model)
    assert fingerprint(tiny("bert")) == before
    assert fingerprint(tiny("bert").to(torch.bfloat16)) != before
    with torch.no_grad():
        model.encoder.layer[1].attention.self.query.bias[0] += 1e-6
    assert fingerprint(model) != before
