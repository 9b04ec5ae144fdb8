"""What an engine's own search and filters find, on a few documents."""

import json

import pytest
from ir_measures import P
from typer.testing import CliRunner

from boolattn.backbones.storage.model_names import load_encoder
from boolattn_lab.benchmarks import sets
from boolattn_lab.benchmarks.afternoon import compare_with_an_afternoon, split_by_cue
from boolattn_lab.benchmarks.tasks import RetrievalTask
from boolattn_lab.cli import app

DOCUMENTS = {
    "onion": "Onion soup with stock",
    "onions": "Soup with onions and cream",
    "carrot": "Carrot soup with cream",
    "denied": "Soup, no onions",
    "cake": "Chocolate cake",
}


@pytest.fixture
def task(monkeypatch, tmp_path):
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path / "cache"))
    return RetrievalTask(
        "kitchen",
        {"1": "soup without onions", "2": "chocolate cake"},
        lambda: iter(DOCUMENTS.items()),
        {"1": {"carrot": 1, "denied": 1}, "2": {"cake": 1}},
        [P @ 2],
        documents_are="things",
    )


def test_filters_drop_every_mention_and_our_search_only_ranks_it_lower(task, minilm_folder):
    outcomes = compare_with_an_afternoon(task, load_encoder(minilm_folder), "MiniLM")
    found = {each.report.model: {key: list(each.run[key].documents) for key in "12"} for each in outcomes}
    assert len(found) == 8
    for way, of_query in found.items():
        assert of_query["2"][0] == "cake"
        filters = "filter" in way
        assert ({"onion", "onions", "denied"} & set(of_query["1"]) == set()) == filters, way
    assert found["hybrid"]["1"][0] != "carrot"
    assert found["hybrid, our reading, filter"]["1"][0] == "carrot"
    assert {"onion", "onions"} == set(found["whole search, hybrid"]["1"][2:4])


@pytest.mark.parametrize(
    ("query", "wanted", "unwanted"),
    [
        ("soup without onions or leeks", "soup", ["onions", "leeks"]),
        ("jaguar -car", "jaguar", ["car"]),
        ("laptop not apple, no refurbished", "laptop", ["apple", "refurbished"]),
        ("t-shirt", "t-shirt", []),
        ("nothing else", "nothing else", []),
    ],
)
def test_the_pattern(query, wanted, unwanted):
    found, excluded = split_by_cue(query)
    assert (found, [each.strip(",") for each in excluded]) == (wanted, unwanted)


def test_the_command_prints_differences_from_the_whole_search(task, minilm_folder, monkeypatch, tmp_path):
    monkeypatch.setitem(sets.BENCHMARKS, "kitchen", lambda data: task)
    arguments = ["bench", "afternoon", "kitchen", "--model", str(minilm_folder), "--data", str(tmp_path), "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert [each["model"] for each in printed["reports"]][:3] == ["whole search, hybrid", "whole search", "vectors"]
    assert len({each["model"] for each in printed["differences"]}) == 7
