import json

import pytest
from typer.testing import CliRunner

from boolattn.bench.query_cost import ordinary_queries
from boolattn.bench.training_free_settings import Setting, choose
from boolattn.cli import app
from boolattn.data.folder import DataFolder
from tests.evaluation.data_folder import make


def setting(penalty, values, strength=2.0):
    return Setting(strength, penalty, {}, {str(number): value for number, value in enumerate(values)})


def test_the_middle_of_those_that_cannot_be_told_apart_is_chosen():
    bare = Setting(None, None, {}, {str(number): 0.5 for number in range(50)})
    surely_worse, best, *others = (
        setting(0.1, [0.3] * 50),
        setting(0.2, [0.72, 0.5] * 25),
        setting(0.3, [0.5, 0.71] * 25),
        setting(0.4, [0.5, 0.7] * 25),
    )
    assert choose([bare, surely_worse, best, *others]) is others[0]
    assert choose([bare, surely_worse, best, others[0]]) is others[0]  # of two middles, the stronger
    assert choose([bare, surely_worse, best]) is best


def test_ordinary_queries_hold_no_operator(tmp_path):
    found = list(ordinary_queries(DataFolder(make(tmp_path))))
    assert found[:2] == ["horror films", "seen in training"]
    assert "comedy about a jester" in found
    assert len(found) == len(set(found))


def test_the_command_tells_time_and_identity(tmp_path, minilm_folder):
    arguments = ["bench", "queries", "--model", f"training-free:{minilm_folder}", "--data", str(make(tmp_path))]
    done = CliRunner().invoke(app, [*arguments, "--seconds", "0.1", "--json"])
    found = json.loads(done.stdout)
    assert found["identical"] is True and found["false_alarms"] == 0
    assert found["ordinary_ratio"] > 0 and found["excluding"] == 1


def test_the_middle_is_one_of_those_that_are_good():
    good, bad = [0.9] * 50, [0.1] * 50
    tried = [
        setting(penalty, good if (strength, penalty) in ((2.0, 0.1), (4.0, 0.5), (8.0, 0.2)) else bad, strength)
        for strength in (2.0, 4.0, 8.0)
        for penalty in (0.1, 0.2, 0.5)
    ]
    assert choose(tried).score == pytest.approx(0.9)


def test_a_bare_model_that_is_surely_best_is_chosen():
    bare = Setting(None, None, {}, {str(number): 0.9 for number in range(50)})
    assert choose([bare, setting(0.1, [0.1] * 50)]) is bare
