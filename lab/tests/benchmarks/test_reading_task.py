"""A system's readings, compared with the gold labels."""

import json

import pytest
import torch
import zstandard
from lab.tests.benchmarks import data_folder
from lab.tests.catalogs.catalogs import FOLDER
from typer.testing import CliRunner

from boolattn import BoolAttnConfig, DualEncoder
from boolattn.backbones.attach.plugin import mechanism_of
from boolattn.backbones.labelled_query import LabelledQuery
from boolattn.operators import NOT
from boolattn.reading.caller import labelled_reading
from boolattn.reading.reading import Reading
from boolattn.reading.spans import Span
from boolattn_lab.benchmarks.evaluate import evaluate
from boolattn_lab.benchmarks.sets import generated, load_benchmark
from boolattn_lab.benchmarks.systems import (
    BooleanRetriever,
    DenseRetriever,
    Reader,
    Retriever,
    RulesReader,
    load_system,
)
from boolattn_lab.benchmarks.tasks import ReadingTask, RetrievalTask, WrongSystemError
from boolattn_lab.cli import app
from boolattn_lab.formats.folder import DataFolder

QUERY = "red kites, not old kites"  # red kites , not old kites


def _reading(operators, cues=None, scopes=None):
    return labelled_reading(QUERY, operators, cues or {}, scopes or {})


class _Told:
    name = "told"

    def __init__(self, readings):
        self.readings = readings

    def read(self, query):
        return self.readings[query]

    def operators(self, query):
        return self.read(query).operators

    def negation(self, text):
        return (), ()


GOLD = _reading({"not"}, {"not": (Span(11, 14),)}, {"not": (Span(15, 24),)})  # not | old kites


def test_by_hand():
    task = ReadingTask("t", {"1": (QUERY, GOLD), "2": ("kites", _reading([]))}, {"1": "_ that are not _", "2": "_"})
    found = {
        QUERY: _reading({"and", "not"}, {"not": (Span(9, 14),)}, {"not": (Span(19, 24),), "and": (Span(0, 3),)}),
        "kites": _reading([]),
    }
    measures = evaluate(task, _Told(found)).report.measures
    assert (measures["exact"], measures["gate(not)"], measures["gate(and)"]) == (0.5, 1.0, 0.5)
    assert (measures["cue-P(not)"], measures["cue-R(not)"]) == (0.5, 1.0)  # ", not" for "not"
    assert measures["scope-R(not)"] == 0.5 and measures["scope-P(not)"] == 1.0  # "kites" of "old kites"
    assert measures["scope-P"] == 0.5 and measures["scope-R"] == 0.5  # "red" is in no scope
    assert measures["scope-P(and)"] == 0.0
    assert "cue-F1(or)" not in measures


def test_templates_are_distinguished():
    task = ReadingTask("t", {"1": (QUERY, GOLD), "2": ("kites", _reading([]))}, {"1": "_ that are not _", "2": "_"})
    report = evaluate(task, _Told({QUERY: GOLD, "kites": _reading({"or"})})).report
    assert report.measures["exact"] == 0.5 and report.measures["scope-F1"] == 1.0
    assert {name: values["exact"] for name, values in report.by_template.items()} == {"_ that are not _": 1.0, "_": 0.0}


def test_unlabelled_parts_are_not_scored():
    gold = _reading({"not"}, scopes={"not": (Span(15, 24),)})
    measures = evaluate(ReadingTask("t", {"1": (QUERY, gold)}, {"1": "_"}), _Told({QUERY: GOLD})).report.measures
    assert measures["scope-F1"] == 1.0
    assert not [name for name in measures if name.startswith("cue")]


def test_an_empty_query_does_not_affect_the_scores():
    task = ReadingTask("t", {"1": (QUERY, GOLD), "2": ("", _reading([]))}, {})
    assert evaluate(task, _Told({QUERY: GOLD, "": _reading([])})).report.measures["cue-F1"] == 1.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = data_folder.make(tmp_path_factory.mktemp("data"))
    films = (FOLDER / "films.jsonl").read_bytes()  # enough of them to draw queries
    (made / "films" / "films.jsonl.zst").write_bytes(zstandard.compress(films))
    marks = [
        {"query": "comedy films that are not westerns", "docs": ["Alpha"], "scores": None,
         "original_query": "<mark>comedy films</mark> that are not <mark>westerns</mark>",
         "metadata": {"template": "_ that are not _", "domain": "films"}},
        {"query": "westerns", "docs": ["Alpha"], "scores": None, "original_query": "<mark>westerns</mark>",
         "metadata": {"template": "_", "domain": "films"}},
        {"query": "comedies or westerns", "docs": ["Alpha"], "scores": None, "original_query": None,
         "metadata": {"template": "_ or _", "domain": "films"}},
    ]  # fmt: skip
    (made / "quest" / "val.jsonl").write_text("".join(json.dumps(row) + "\n" for row in marks))
    return DataFolder(made)


def test_quest_scopes_are_scored_where_they_can_be_aligned(folder):
    task = load_benchmark("quest-reading", folder)
    assert list(task.readings) == ["0", "1"]  # the third is unlabelled
    text, reading = task.readings["0"]
    assert [span.of(text) for span in reading.scopes["not"]] == ["westerns"]
    assert reading.scopes["and"] == reading.scopes["or"] == () and reading.operators == {"not"}
    assert task.readings["1"][1] == labelled_reading("westerns", [], {}, {})
    measures = evaluate(task, RulesReader()).report.measures
    assert (measures["exact"], measures["scope-F1(not)"]) == (1.0, 1.0)
    assert not [name for name in measures if name.startswith("cue")]


def test_generated_queries_carry_their_labels(folder, monkeypatch):
    monkeypatch.setattr(generated, "QUERIES_PER_SLICE", 60)
    task = load_benchmark("films-reading", folder)
    assert len(task.readings) == len(task.template_of) == 60
    for key, (text, reading) in task.readings.items():
        assert ("not" in reading.operators) == ("not" in task.template_of[key].split())
        assert bool(reading.scopes["not"]) == ("not" in reading.operators)
        for spans in (*reading.cues.values(), *reading.scopes.values()):
            assert all(0 <= span.start < span.end <= len(text) for span in spans)
    gold = _Told(dict(task.readings.values()))
    measures = evaluate(task, gold).report.measures
    assert {value for name, value in measures.items() if "F1" in name or name == "exact"} == {1.0}
    rules = evaluate(task, RulesReader()).report.measures
    assert 0.5 < rules["cue-F1(not)"] <= 1.0


def test_the_command_line_uses_the_rules(folder):
    result = CliRunner().invoke(
        app, ["evaluate", "quest-reading", "--model", "rules", "--data", str(folder.path), "--json"]
    )
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout[result.stdout.index("{") :])["measures"]["exact"] == 1.0


def test_a_boolean_model_reads_and_ranks_and_a_plain_one_only_ranks(minilm_folder):
    boolean, plain = (load_system(f"{kind}{minilm_folder}") for kind in ("training-free:", ""))
    assert isinstance(boolean, BooleanRetriever) and isinstance(boolean, Reader)
    assert type(plain) is DenseRetriever and not isinstance(plain, Reader)
    text = "films that are not about war"
    assert boolean.operators(text) == {"not"}
    (cue,), (scope,) = boolean.negation(text)
    assert "not" in cue.of(text) and scope.of(text) == "war"
    assert boolean.read(text) == boolean.queries.read(text)
    by_rules = load_system(f"training-free:{minilm_folder}", reader="rules")
    assert by_rules.read(text) == RulesReader().read(text)


def test_a_mechanism_reports_what_its_gate_finds(start, folder, tmp_path):
    for gate in ("learned", "given"):
        model = DualEncoder.untrained(start, BoolAttnConfig(gate=gate))
        if gate == "learned":
            last = mechanism_of(model.tower.transformer.auto_model).gate.ffn[-1]
            torch.nn.init.zeros_(last.weight)
            last.bias.data = torch.tensor([1.0, -1.0, -1.0])  # it takes every query for a conjunction
        model.save(str(tmp_path / gate))
    system = load_system(str(tmp_path / "learned"))
    assert evaluate(load_benchmark("quest-gate", folder), system).report.measures["gate(and)"] == 0.0
    assert system.operators("westerns") == {"and"}
    told = load_system(str(tmp_path / "given"))
    assert isinstance(told, Retriever) and not isinstance(told, Reader)
    result = CliRunner().invoke(
        app, ["evaluate", "quest-reading", "--model", str(tmp_path / "given"), "--data", str(folder.path)]
    )
    assert result.exit_code == 2
    assert "gate='given' cannot" in " ".join(result.output.replace("│", " ").split())  # out of its box


def _task(operators):
    queries = {"a": "films without war", "b": "films"}
    return RetrievalTask("t", queries, lambda: iter(()), {}, operators=operators)


def test_queries_can_carry_their_operators():
    task = _task({"a": frozenset({"not"}), "b": frozenset()}).with_given_operators()
    assert task.queries == {"a": "films without war", "b": "films"}
    assert all(isinstance(query, LabelledQuery) for query in task.queries.values())
    assert [query.operators for query in task.queries.values()] == [{"not"}, set()]
    assert all(query.reading is None for query in task.queries.values())


@pytest.mark.parametrize("operators", [{}, {"a": frozenset({"not"})}])
def test_unlabelled_operators_cannot_be_given(operators):
    with pytest.raises(WrongSystemError, match="the operators of t's queries are not labelled"):
        _task(operators).with_given_operators()


@pytest.mark.parametrize("name", ["films", "quest-partial", "negconstraint"])
def test_benchmarks_label_their_operators(folder, name, monkeypatch):
    monkeypatch.setattr(generated, "QUERIES_PER_SLICE", 20)
    task = load_benchmark(name, folder)
    told = task.with_given_operators().queries
    assert told and told == task.queries
    if name == "films":
        assert all(("not" in told[key].operators) == (key in task.negated) for key in told)
    if name == "negconstraint":
        assert {query.operators for query in told.values()} == {frozenset({"not"})}


def test_given_operators_are_used(minilm_folder):
    model = DualEncoder.training_free(str(minilm_folder))
    told = _task({"a": frozenset(), "b": frozenset()}).with_given_operators().queries["a"]
    assert (model.encode_query(told) == model.document_encoder().encode("films without war")).all()


def test_the_learned_system_reads_with_the_reader_it_is_given():
    class Nothing:
        name = "nothing 1"

        def read(self, queries):
            return [Reading.plain(query, "learned", self.name) for query in queries]

    query = "python web frameworks other than django"
    assert NOT.name in load_system("learned").operators(query)
    assert NOT.name not in load_system("learned", reader=Nothing()).operators(query)
    with pytest.raises(ValueError, match="--model rules"):
        load_system("learned", reader="rules")
