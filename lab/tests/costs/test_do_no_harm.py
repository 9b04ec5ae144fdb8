"""Real queries that exclude nothing get the backbone's vector, bit for bit."""

import os
from pathlib import Path

import pytest

from boolattn import DualEncoder
from boolattn_lab.costs.query_cost import SourceChange, change_of, measure_query_cost
from boolattn_lab.formats.folder import DataFolder

ORDINARY = ["tallest building in the world", "why does my cat not eat", "how to cook rice without a rice cooker"]


@pytest.fixture(scope="module")
def model(minilm_folder):
    return DualEncoder.training_free(str(minilm_folder))


def test_only_queries_that_are_acted_on_change(model):
    assert change_of(model, [*ORDINARY, "films set in Vietnam NOT war"]) == SourceChange(4, 1, 1)


@pytest.mark.skipif("BOOLATTN_DATA" not in os.environ, reason="BOOLATTN_DATA names no data folder")
def test_in_every_source_of_real_queries_only_those_acted_on_change(model, monkeypatch):
    monkeypatch.setattr("boolattn_lab.costs.query_cost.PER_SOURCE", 40)  # `boolattn-lab bench queries` takes 1,000
    cost = measure_query_cost(model, DataFolder(Path(os.environ["BOOLATTN_DATA"])), seconds=0.1)
    assert len(cost.sources) >= 20
    assert all(each.read == each.changed for each in cost.sources.values())
