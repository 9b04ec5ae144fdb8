"""The board: gain, harm and cost of a model compared with its plain model, on the command line."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from lab.tests.benchmarks import data_folder
from sentence_transformers import SentenceTransformer
from typer.testing import CliRunner

from boolattn import DualEncoder
from boolattn.backbones.retrieval_model import ModelWithEncoder
from boolattn.query_vectors.query_encoder import PlainEncoder
from boolattn.query_vectors.rewriting import RewriteEncoder
from boolattn.reading.options import ReadingOptions
from boolattn_lab.benchmarks import board
from boolattn_lab.benchmarks.beside_bare import BesideBare
from boolattn_lab.benchmarks.board import BENCHMARKS, SECTIONS, SLOW, Board, Comparison, Part, Row
from boolattn_lab.benchmarks.board_output import print_boards
from boolattn_lab.benchmarks.encoding_cost import Cost
from boolattn_lab.benchmarks.sets import load_benchmark
from boolattn_lab.benchmarks.sets.generated import GENRE_PAIRS
from boolattn_lab.benchmarks.significance import Difference
from boolattn_lab.benchmarks.systems import DenseRetriever, load_system
from boolattn_lab.benchmarks.tasks import PairTask, RetrievalTask
from boolattn_lab.cli import app
from boolattn_lab.formats.folder import DataFolder

SMALL = ("negconstraint", "excluir-pairs", "boolquestions-not", "nevir", "comlq-test-half", "stackfaq")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return data_folder.make(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOOLATTN_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def invoke(*arguments):
    return CliRunner().invoke(app, ["evaluate", "board", *map(str, arguments)], env={"COLUMNS": "400"})


@pytest.fixture(scope="module")
def result(folder, minilm_folder):
    """Measure a plain model, one made Boolean, and one whose queries are rewritten."""
    models = [f"--model={kind}{minilm_folder}" for kind in ("", "training-free:", "rewritten:")]
    only = [f"--only={name}" for name in SMALL]
    return invoke(*models, *only, "--reader", "rules", "--data", folder, "--json")


@pytest.fixture(scope="module")
def boards(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["boards"]


def row(one, section, benchmark, queries="all"):
    (found,) = (each for each in one[section] if (each["benchmark"], each["queries"]) == (benchmark, queries))
    return found


def test_a_plain_model_changes_nothing_and_encodes_each_query_once(boards):
    plain = boards[0]
    rows = plain["gain"] + plain["harm"]
    assert {each["benchmark"] for each in rows} == set(SMALL)
    assert {(each["changed_vectors"], each["changed_hits"]) for each in rows} == {(0, 0)}
    for each in rows:
        for measure in each["measures"].values():
            assert measure["bare"] == measure["acting"]
            assert measure["difference"] == {"mean": 0, "low": 0, "high": 0}
    (cost,) = plain["cost"]
    assert (cost["queries"], cost["encodings_per_query"], cost["time_ratios"]) == ("ordinary", 1, {})


@pytest.mark.parametrize("number", [1, 2])
def test_gain_and_harm_of_a_model_that_acts(boards, number):
    acting = boards[number]
    pairs = row(acting, "gain", "excluir-pairs")
    assert (pairs["count"], pairs["changed_vectors"], pairs["changed_share"]) == (3, 1, 1 / 3)
    assert set(row(acting, "gain", "negconstraint")["measures"]) == {"nDCG@10", "R@100"}
    assert set(row(acting, "gain", "comlq-test-half", "negated")["measures"]) == {"nDCG@10", "wordLSNC@100"}
    negated, unchanged = row(acting, "gain", "comlq-test-half"), row(acting, "harm", "comlq-test-half", "not negated")
    assert (negated["count"], unchanged["count"], unchanged["changed_vectors"]) == (2, 1, 0)
    harm = row(acting, "harm", "stackfaq")
    assert (harm["count"], harm["changed_vectors"], harm["changed_hits"]) == (3, 1, 1)
    reciprocal = harm["measures"]["RR"]
    assert reciprocal["bare"] == 1
    assert reciprocal["acting"] == pytest.approx(2.5 / 3)
    assert reciprocal["difference"]["mean"] == pytest.approx(-0.5 / 3)
    assert reciprocal["difference"]["low"] < reciprocal["difference"]["mean"] < reciprocal["difference"]["high"]


def test_encodings_are_counted(boards):
    costs = [{each["queries"]: each["encodings_per_query"] for each in one["cost"]} for one in boards]
    assert costs[1] == {"ordinary": 1, "excluding": 1}, "the bias acts within one pass"
    assert costs[2] == {"ordinary": 1, "excluding": 2}, "what is wanted and what is not"


def test_progress_is_on_standard_error(result):
    assert f"stackfaq ({len(SMALL)} of {len(SMALL)})" in result.stderr


@pytest.mark.parametrize(
    ("form", "marks"),
    [
        ("table", ["│", "time ratio, batch 32", "+0.250", "negconstraint"]),
        (
            "markdown",
            [
                "| gain | negconstraint | all | 4 | 2 | 1 | nDCG@10 | 0.500 | 0.750 | +0.250 [+0.000, +0.500] |",
                "| excluding | 2 | 1.50 | 1.25 | 1.75 |",
            ],
        ),
    ],
)
def test_a_board_can_be_read(form, marks, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    compared = Comparison("nDCG@10", 0.5, 0.75, Difference(0.25, 0.0, 0.5))
    gain = Row("negconstraint", "all", 4, 2, 1, (compared,))
    print_boards([Board("model", {"gain": [gain], "harm": []}, [Cost("excluding", 2, 1.5, {1: 1.25, 32: 1.75})])], form)
    shown = capsys.readouterr().out
    assert all(mark in shown for mark in marks)


def test_mistakes_are_named(folder, tmp_path):
    for arguments, message in (
        (("--model", "bm25"), "needs --data"),
        (("--data", folder), "needs --model"),
        (("--model", "bm25", "--data", folder), "use a dense model"),
        (("--model", "bm25", "--data", folder, "--only", "quest"), "'quest' is not on the board"),
        (("--model", "bm25", "--data", folder, "--run", tmp_path), "board does not take --run"),
    ):
        failed = invoke(*arguments)
        assert failed.exit_code == 2
        assert message in " ".join(failed.output.split())
    other = CliRunner().invoke(app, ["evaluate", "nevir", "--only", "films"], env={"COLUMNS": "400"})
    assert "--only is for 'boolattn-lab evaluate board'" in " ".join(other.output.split())


def test_missing_data_is_reported_before_anything_is_measured(folder, tmp_path):
    (tmp_path / "negconstraint").symlink_to(folder / "negconstraint")
    with pytest.raises(FileNotFoundError, match="nevir needs"):
        board.measure_board([], DataFolder(tmp_path), ["negconstraint", "nevir"])


def test_the_slow_benchmark_is_measured_only_on_request():
    assert board._chosen([]) == [name for name in BENCHMARKS if name not in SLOW]
    assert board._chosen(["quest-partial", "nevir"]) == ["nevir", "quest-partial"]


def test_queries_are_chosen_by_template_slice_and_operator():
    names = ("pair", "plain", "not")
    task = RetrievalTask(
        "films",
        dict.fromkeys(names, "text"),
        lambda: [],
        {},
        template_of={"pair": GENRE_PAIRS, "plain": "_", "not": "_ that are not _"},
        slice_of={"pair": "meaning", "plain": "meaning", "not": "names"},
        operators={"pair": frozenset(["not"]), "plain": frozenset(["and"]), "not": frozenset(["not"])},
    )
    values = {"P@20": {"pair": 0.5, "plain": 0.25, "not": 1.0}}
    found = BesideBare(values, values, ["pair", "not"], ["not"])

    def counts(queries):
        made = board._row(Part("films", queries, ("P@20",)), task, found)
        return made.count, made.changed, made.changed_hits, made.comparisons[0].acting

    assert counts(GENRE_PAIRS) == (1, 1, 0, 0.5)
    assert counts("without not") == (1, 0, 0, 0.25)
    assert counts("names") == (1, 1, 1, 1.0)
    assert counts("all") == (3, 2, 1, pytest.approx(1.75 / 3))


def test_models_with_one_backbone_share_document_vectors(folder, minilm_folder, monkeypatch, tmp_path):
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path))
    systems = [load_system(f"{kind}{minilm_folder}", False, reader="rules") for kind in ("", "training-free:")]
    encoded = []
    encode_document = SentenceTransformer.encode_document

    def noting(self, inputs, *args, **kwargs):
        encoded.extend(inputs)
        return encode_document(self, inputs, *args, **kwargs)

    monkeypatch.setattr(SentenceTransformer, "encode_document", noting)
    measured = board.measure_board(systems, DataFolder(folder), ["negconstraint"], seconds=0)
    assert len(encoded) == len(data_folder.FILMS)
    (cost,) = measured[1].cost
    assert cost.kind == "excluding"
    assert set(cost.time_ratios) == {1, 32}
    assert min(cost.time_ratios.values()) > 0


def test_a_model_with_its_own_encoder_is_measured(folder, minilm_folder):
    model = ModelWithEncoder(SentenceTransformer(str(minilm_folder)), RewriteEncoder, ReadingOptions("rules"))
    system = DenseRetriever("own encoder", model, progress=False)
    (measured,) = board.measure_board([system], DataFolder(folder), ["stackfaq"])
    assert {cost.kind: cost.encodings for cost in measured.cost} == {"ordinary": 1, "excluding": 2}


def test_encodings_that_cannot_be_counted_are_not_reported(folder, minilm_folder):
    model = ModelWithEncoder(
        SentenceTransformer(str(minilm_folder)), lambda embed: PlainEncoder(lambda texts: np.ones((len(texts), 384)))
    )
    system = DenseRetriever("elsewhere", model, progress=False)
    (measured,) = board.measure_board([system], DataFolder(folder), ["stackfaq"])
    assert {cost.encodings for cost in measured.cost} == {None}


@pytest.fixture(scope="module")
def reads_by_rules(minilm_folder, tmp_path_factory):
    """Return the folder of a saved model that reads by rules."""
    saved = tmp_path_factory.mktemp("model")
    model = DualEncoder.training_free(str(minilm_folder))
    model.options = ReadingOptions("rules")
    model.save(str(saved))
    return saved


@pytest.mark.parametrize(("options", "changed"), [([], 1), (["--reader", "learned"], 0)])
def test_a_saved_model_reads_with_its_own_reader_unless_another_is_named(folder, reads_by_rules, options, changed):
    shared = ["--model", reads_by_rules, "--data", folder, "--json", *options]
    on_board = invoke("--only", "stackfaq", *shared)
    assert row(json.loads(on_board.stdout)["boards"][0], "harm", "stackfaq")["changed_vectors"] == changed
    alone = CliRunner().invoke(app, ["evaluate", "stackfaq", *map(str, shared)])
    assert json.loads(alone.stdout)["measures"]["RR"] == pytest.approx(1 - changed * 0.5 / 3)


@pytest.mark.skipif("BOOLATTN_DATA" not in os.environ, reason="set BOOLATTN_DATA to the folder of the real datasets")
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("comlq", 2909),
        ("comlq-test-half", 1460),
        ("excluir-pairs", 1000),
        ("boolquestions-not", 323),
        ("nevir", 2 * 1383),
        ("stackfaq", 1249),
    ],
)
def test_the_real_benchmarks_have_all_queries_of_the_board(name, count):
    task = load_benchmark(name, DataFolder(Path(os.environ["BOOLATTN_DATA"])))
    assert len(task.queries) == count
    if isinstance(task, PairTask):
        return
    assert set(task.queries) == set(task.answers)
    parts = {part.queries for parts in SECTIONS.values() for part in parts if part.benchmark == name} - {"all"}
    assert parts <= set((task.slice_of or {}).values())
    if task.slice_of:
        negated = [query for query, part in task.slice_of.items() if part == "negated"]
        assert 0.3 < len(negated) / count < 0.4
        assert len(task.negated) > len(negated) / 2
