"""ESCI-150: what it contains, what ships with it, and every way of searching on a part of it."""

import dataclasses
import json
import re
import tomllib
from collections import Counter
from importlib.resources import files

import pytest
import typer
import zstandard
from typer.testing import CliRunner

import boolattn
from boolattn.backbones.storage.model_names import load_encoder
from boolattn_lab.benchmarks.esci_150 import command
from boolattn_lab.benchmarks.esci_150.ways import WAYS, compare_ways
from boolattn_lab.benchmarks.measures import Ranking
from boolattn_lab.benchmarks.sets import esci_150, load_benchmark
from boolattn_lab.benchmarks.sets.esci_150 import labels_by_query, task
from boolattn_lab.cli import app
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.hashed_labels import LABELS, digest
from tests.docs.blocks import ROOT

FILES = ROOT / "lab/src/boolattn_lab/benchmarks/data/esci-150"
WHITE_CHAIR = "white desk chair without wheels"
ORDINARY = "red dog bowl"


@pytest.fixture(scope="module")
def whole():
    return task()


@pytest.fixture(scope="module")
def documents(whole):
    return dict(whole.documents())


@pytest.fixture
def part(whole, documents, monkeypatch, tmp_path):
    """Two of the queries, and the products judged for them."""
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path / "cache"))
    chosen = {key: query for key, query in whole.queries.items() if query in (WHITE_CHAIR, ORDINARY)}
    judged = {doc_id for key in chosen for doc_id in whole.answers[key]}
    return dataclasses.replace(
        whole,
        queries=chosen,
        documents=lambda: ((doc_id, documents[doc_id][:300]) for doc_id in sorted(judged)),
        answers={key: whole.answers[key] for key in chosen},
        slice_of={key: whole.slice_of[key] for key in chosen},
    )


def test_it_has_150_queries_6764_products_and_6678_judgements(whole, documents):
    rows = zstandard.open(FILES / "judgments.jsonl.zst", "rt", encoding="utf-8").read().splitlines()
    labels = Counter(json.loads(row)["label"] for row in rows)
    assert (len(whole.queries), len(documents), labels.total()) == (150, 6764, 6678)
    assert labels == {"E": 3389, "S": 1898, "C": 305, "I": 1086}
    assert set(whole.answers) == set(whole.queries)
    assert {doc_id for answers in whole.answers.values() for doc_id in answers} <= set(documents)
    assert whole.documents_are == "things"


def test_38_queries_contain_a_negation_and_112_do_not(whole):
    assert Counter(whole.slice_of.values()) == {"negated": 38, "others": 112}
    for key, query in whole.queries.items():
        assert (whole.slice_of[key] == "negated") == bool(re.search(r"\b(not|without)\b", query)), query


def test_33_of_them_exclude_something_by_hand_and_a_caller_can_name_it():
    labels = labels_by_query()
    assert (len(labels), sum(bool(each.excluded) for each in labels.values())) == (38, 33)
    for query, each in labels.items():
        exclusions = boolattn.read(query, exclude=list(each.excluded)).exclusions
        assert [found.span.of(query) for found in exclusions] == list(each.excluded)
        assert not exclusions or re.search(r"\b(not|without)\b", query[: exclusions[0].span.start]), query


def test_gains_are_those_of_esci(whole):
    key = next(key for key, query in whole.queries.items() if query == "t towels kitchen")
    gain = {100: 1.0, 10: 0.1, 1: 0.01}
    best = sorted((gain[grade] for grade in whole.answers[key].values()), reverse=True)
    substitute = next(doc_id for doc_id, grade in whole.answers[key].items() if grade == 10)
    value = whole.values({key: Ranking([substitute], [1.0])})["nDCG@10"][key]
    discounts = [1, 0.6309, 0.5, 0.4307, 0.3869, 0.3562, 0.3333, 0.3155, 0.3010, 0.2891]
    assert value == pytest.approx(0.1 / sum(a * b for a, b in zip(best, discounts, strict=False)), rel=1e-3)


def test_no_training_label_is_of_its_queries(whole):
    queries = set(whole.queries.values())
    digests = set(map(digest, queries))
    for path in LABELS.glob("*.jsonl"):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert not [row for row in rows if row.get("query") in queries or row.get("sha256") in digests], path.name


def test_the_package_ships_the_data_with_its_source_and_licence():
    wheel = tomllib.loads((ROOT / "lab/pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel == {"packages": ["src/boolattn_lab"]}, "the whole folder, with all files"
    shipped = files("boolattn_lab").joinpath("benchmarks", "data", "esci-150")
    names = {"products.jsonl.zst", "judgments.jsonl.zst", "negated.jsonl", "README.md", "LICENSE"}
    assert {each.name for each in shipped.iterdir()} == names
    about = shipped.joinpath("README.md").read_text(encoding="utf-8")
    for needed in ("Amazon.com, Inc.", "github.com/amazon-science/esci-data", "Apache License 2.0", "OpenSearch"):
        assert needed in about
    assert shipped.joinpath("LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_any_retriever_can_be_evaluated_on_it_without_a_data_file(tmp_path):
    found = load_benchmark("esci-150", DataFolder(tmp_path / "nothing"))
    assert len(found.queries) == 150
    arguments = ["evaluate", "esci-150", "--model", "bm25", "--data", str(tmp_path), "--json"]
    slices = json.loads(CliRunner().invoke(app, arguments).stdout)["slices"]
    assert {name: round(part["measures"]["nDCG@10"], 2) for name, part in slices.items()} == {
        "negated": 0.45,
        "others": 0.64,
    }


@pytest.mark.parametrize("kind", ["", "training-free:"])
def test_every_way_of_searching_is_compared_with_plain_vectors(part, minilm_folder, kind):
    labels = {query: each.excluded for query, each in labels_by_query().items()}
    found = compare_ways(part, labels, load_encoder(f"{kind}{minilm_folder}"), "MiniLM", reader="rules")
    assert list(found) == list(WAYS)
    assert all(list(parts) == ["negated", "others"] for parts in found.values())
    assert found["plain"]["negated"].from_plain == (0, 0, 0)
    for way in ("signed", "search", "hybrid search"):
        assert found[way]["negated"].changed == 1, "the rules read 'without wheels'"
        assert found[way]["others"].changed == 0
        assert found[f"{way}, by hand"] == found[way], "the caller names what the rules find"
    for parts in found.values():
        for each in parts.values():
            assert each.from_plain.low <= each.from_plain.mean <= each.from_plain.high
            assert each.queries == 1
    assert found["hybrid search"]["others"].from_base == (0, 0, 0)
    assert found["hybrid search"]["others"].quality == found["hybrid plain"]["others"].quality


def test_what_a_reader_misses_a_caller_can_name(part, minilm_folder):
    class Blind:
        name = "blind"

        def read(self, queries):
            return [boolattn.read(query, exclude=[]) for query in queries]

    labels = {query: each.excluded for query, each in labels_by_query().items()}
    found = compare_ways(part, labels, load_encoder(minilm_folder), "MiniLM", reader=Blind())
    assert {way for way, parts in found.items() if parts["negated"].changed} == {
        "signed, by hand",
        "search, by hand",
        "hybrid search, by hand",
        "hybrid plain",
    }


def test_the_command_prints_a_table_markdown_or_json(part, minilm_folder, monkeypatch):
    monkeypatch.setattr(esci_150, "task", lambda: part)
    arguments = ["--model", str(minilm_folder), "--reader", "rules", "--strictness", "balanced"]

    def run(*more: str) -> str:
        program = typer.Typer()
        program.command()(command.esci_150)
        result = CliRunner().invoke(program, [*arguments, *more], env={"COLUMNS": "250"})
        assert result.exit_code == 0, result.output
        return result.stdout

    found = json.loads(run("--json"))
    assert (found["benchmark"], list(found["ways"])) == ("esci-150", list(WAYS))
    negated = found["ways"]["hybrid search"]["negated"]
    assert set(negated["difference"]) == {"plain", "hybrid plain"}
    assert (negated["queries"], negated["changed"]) == (1, 1)
    for printed in (run(), run("--markdown")):
        assert "1 negated" in printed and "1 others" in printed
        assert all(way in printed for way in WAYS)
        assert f"{negated['nDCG@10']:.3f}" in printed
