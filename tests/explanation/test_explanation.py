import json
from dataclasses import replace

import numpy as np

from tests.explanation.handmade import handmade


def test_held_and_changed():
    plain = handmade("films")
    assert (plain.held, plain.changed) == ((), False)
    negated = handmade("films not war", {"not": ["not"]}, {"not": ["war"]})
    assert (negated.held, negated.changed) == (("not",), True)
    # A readout may push away although no gate is open.
    assert replace(plain, readout=-np.ones(len(plain.tokens))).changed


def test_json_contains_everything(explain):
    explanation = explain("movies set in Vietnam but not about war")
    told = json.loads(json.dumps(explanation.to_dict()))
    assert told["tokens"][4] == "Vietnam" and told["spans"][4] == [14, 21]
    assert told["source"] == "rules" and told["operators"] == ["and", "or", "not"]
    assert told["plan"]["plan"] == str(explanation.plan)
    for name in ("gates", "cues", "scopes", "biases", "attention_before", "attention_after", "readout"):
        np.testing.assert_allclose(told[name], getattr(explanation, name), atol=1e-6)


def test_notebooks_show_it():
    shown = handmade("films not war", {"not": ["not"]}, {"not": ["war"]})._repr_html_()
    assert shown.startswith("<article") and "<html" not in shown and "nothing here was learned" in shown
