"""A mechanism with given scopes: an upper bound."""

import numpy as np
import torch
from lab.tests.paper import small

from boolattn import DualEncoder
from boolattn.backbones.labelled_query import LabelledQuery
from boolattn.backbones.token_reading import TRACE
from boolattn.reading.caller import labelled_reading
from boolattn.reading.spans import Span
from boolattn_lab.paper.train import finetune

QUERY = "kites but not of Peru"
CUES, SCOPES = {"not": (Span(6, 13),)}, {"not": (Span(17, 21),)}


def test_given_scopes_replace_the_predicted_ones(start, data, tmp_path):
    recipe = small.recipe("finetune", start, "quest", data={"queries": 4}, training={"scopes": "given", "epochs": 1})
    model = DualEncoder(str(finetune(recipe, data, tmp_path))).eval()
    told = LabelledQuery.of(QUERY, {"not"}, labelled_reading(QUERY, {"not"}, CUES, SCOPES))
    untold = LabelledQuery.of(QUERY, {"not"})
    with torch.inference_mode():
        trace = model.tower(model.preprocess([told, untold], task="query"))[TRACE]
    assert trace.gates.tolist() == [[0, 0, 1], [0, 0, 0]], "without known scopes no gate opens"
    assert trace.scopes[0][0, :, 0].nonzero().tolist() == [[6, 2]], "[CLS] kite ##s but not of *peru*, by *not*"
    vectors = model.encode_query([told, untold])
    assert not np.allclose(*vectors, atol=1e-4)
    assert np.allclose(vectors[1], model.encode_query([QUERY], operators=[[]])[0], atol=1e-5)
