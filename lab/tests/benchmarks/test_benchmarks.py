"""Every benchmark, from a small made-up folder to its figures, on the command line."""

import json
import math
import shutil

import ir_measures
import numpy as np
import pytest
from lab.tests.benchmarks import data_folder
from lab.tests.formats.fixture_files import FIXTURES
from sentence_transformers import SentenceTransformer
from typer.testing import CliRunner

from boolattn.backbones.storage.model_names import UnknownModelError
from boolattn_lab.benchmarks.sets import BENCHMARKS, load_benchmark
from boolattn_lab.benchmarks.sets.recipes import gold_plans, recipe_tasks
from boolattn_lab.benchmarks.systems import DenseRetriever, load_system
from boolattn_lab.catalogs.films import films_domain
from boolattn_lab.catalogs.mentions import pages_domain
from boolattn_lab.catalogs.quest import template_operators
from boolattn_lab.cli import app
from boolattn_lab.formats.folder import DataFolder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return data_folder.make(tmp_path_factory.mktemp("data"))


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("BOOLATTN_CACHE", str(tmp_path / "cache"))


def run(*arguments) -> dict:
    result = CliRunner().invoke(app, ["evaluate", *map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout[result.stdout.index("{") :])


def test_operators_of_templates():
    assert template_operators("_ that are also _ but not _") == {"and", "not"}
    assert template_operators("_ or _ or _") == {"or"}
    assert template_operators("_ that are also both _ and _") == {"and"}
    assert template_operators("_") == frozenset()


def test_quest_gate_by_rules(folder):
    report = run("quest-gate", "--model", "rules", "--data", folder)
    assert report["measures"] == {"exact": 1.0, "gate(and)": 1.0, "gate(or)": 1.0, "gate(not)": 1.0}
    assert set(report["by_template"]) == {"_ that are not _", "_"}, "training queries are skipped, one _ remains"
    assert len(load_benchmark("quest-gate", DataFolder(folder)).queries) == 2


def test_cdsco_by_rules(folder):
    measures = run("cdsco", "--model", "rules", "--data", folder)["measures"]
    assert measures["cue-F1"] == 1.0
    assert measures["scope-R"] == pytest.approx(1 / 3), "of I, did, go the rules see what follows the cue"


def test_quest_partial_keeps_what_can_be_answered(folder):
    task = load_benchmark("quest-partial", DataFolder(folder))
    assert list(task.queries.values()) == ["comedy films that are not westerns"]
    assert task.answers["0"] == {"The Jester", "Alpha", "Beta"}
    identifiers = [identifier for identifier, _ in task.documents()]
    assert sorted(identifiers) == ["Alpha", "Beta", "Dusty Trail", "Laughing Guns", "Night of Fear", "The Jester"]
    assert dict(task.documents())["The Jester"].endswith("loses his voice."), "the first of one title stays"


def test_quest_partial_without_any_query_is_an_error(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "data")
    questions = copy / "quest" / "test.jsonl"
    questions.write_text("".join(line for line in questions.open() if "comedy films" not in line))
    with pytest.raises(ValueError, match="no query of quest-partial has 3 answers among its documents"):
        load_benchmark("quest-partial", DataFolder(copy))


def test_a_quarter_of_quest_partial_keeps_every_answer(folder):
    whole, quarter = (load_benchmark(f"quest-partial{part}", DataFolder(folder)) for part in ("", "-quarter"))
    assert quarter.queries == whole.queries
    assert quarter.answers == whole.answers
    others = [(key, text) for key, text in whole.documents() if key not in whole.answers["0"]]
    assert len(others) == 3
    left = list(quarter.documents())
    assert left == [(key, text) for key, text in whole.documents() if key in whole.answers["0"] or key == others[0][0]]
    assert list(quarter.documents()) == left, "it can be read again"


@pytest.mark.parametrize("benchmark", ["quest", "quest-partial", "negconstraint"])
def test_retrieval_by_bm25(folder, benchmark, tmp_path):
    report = run(benchmark, "--model", "bm25", "--data", folder, "--run", tmp_path)
    assert report["benchmark"] == benchmark
    assert 0 < report["measures"]["R@100"] <= 1
    assert list(ir_measures.read_trec_run(str(tmp_path / f"{benchmark}.bm25.trec")))


def test_retrieval_by_a_dense_model_encodes_once(folder, minilm_folder, tmp_path):
    first = run("negconstraint", "--model", minilm_folder, "--data", folder)
    vectors = list((tmp_path / "cache").rglob("*.npy"))
    assert len(vectors) == 1
    written = vectors[0].stat().st_mtime_ns
    assert run("negconstraint", "--model", minilm_folder, "--data", folder) == first
    assert vectors[0].stat().st_mtime_ns == written
    assert first["measures"]["RR@10"] > 0


@pytest.mark.parametrize(("benchmark", "measure"), [("nevir", "pairwise accuracy"), ("excluir", "right rank")])
def test_pairs(folder, minilm_folder, benchmark, measure):
    assert run(benchmark, "--model", minilm_folder, "--data", folder)["measures"] == {measure: 1.0}


@pytest.mark.parametrize("benchmark", ["excluir-pairs", "boolquestions-not"])
def test_the_first_document_of_a_pair_is_wanted(folder, minilm_folder, benchmark):
    measures = run(benchmark, "--model", minilm_folder, "--data", folder)["measures"]
    assert measures == {"right rank": pytest.approx(2 / 3)}, "the pair of the lighthouse is the wrong way round"


def test_two_systems_are_compared(folder, minilm_folder, tmp_path):
    together = run("quest", "--model", "bm25", "--model", minilm_folder, "--data", folder, "--plot", tmp_path)
    assert together["reports"][0]["model"] == "bm25"
    difference = next(row for row in together["differences"] if row["measure"] == "nDCG@10")
    means = [report["measures"]["nDCG@10"] for report in together["reports"]]
    assert difference["mean"] == pytest.approx(means[1] - means[0])
    assert difference["low"] <= difference["mean"] <= difference["high"]
    assert (tmp_path / "quest-R-at-100.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", ["training-free:", "rewritten:"])
def test_stackfaq_counts_changed_vectors_and_their_cost(folder, minilm_folder, kind):
    measures = run("stackfaq", "--model", f"{kind}{minilm_folder}", "--reader", "rules", "--data", folder)["measures"]
    assert (measures["queries"], measures["changed"]) == (3, 1), "'without a bread machine' is taken for an exclusion"
    changed, bare = measures["RR, changed queries"], measures["RR, bare, changed queries"]
    assert (bare, changed) == (1.0, 0.5), "the cake is now ahead of the bread machine"
    assert measures["changed hits"] == 1
    assert measures["RR, bare"] - measures["RR"] == pytest.approx((bare - changed) / 3)


def test_recipes_without_an_ingredient_are_what_bm25_does_not_find(folder):
    task = load_benchmark("recipes-not", DataFolder(folder))
    for key, query in task.queries.items():
        [excluded] = [name for name in ("onions", "celery", "rice", "carrots") if name.removesuffix("s") in query]
        assert task.negated[key] == {doc_id for doc_id, text in task.documents() if excluded in text}
        assert task.answers[key] == {doc_id for doc_id, text in task.documents() if excluded not in text}
    measures = run("recipes-not", "--model", "bm25", "--data", folder)["measures"]
    assert (measures["P@10"], measures["violation@10"]) == (0.0, 1.0), "the excluded word is what BM25 looks for"


def test_recipes_of_both_splits_share_no_expression(folder):
    for name, task in recipe_tasks(DataFolder(folder)).items():
        plans = {str(plan) for plan in gold_plans(DataFolder(folder), name, "validation").values()}
        assert plans.isdisjoint(str(plan) for plan in gold_plans(DataFolder(folder), name, "test").values()), name
        assert len(task.queries) == len(gold_plans(DataFolder(folder), name, "test"))


def test_flip_subtracts_what_is_excluded_from_the_whole_query(minilm_folder):
    ordinary, excluding = "how to bake bread", "bread but not cake"
    system = load_system(f"flip:0.5:{minilm_folder}", progress=False, reader="rules")
    vectors, bare = (find([ordinary, excluding, "cake"]) for find in (system.query_vectors, system.bare_query_vectors))
    np.testing.assert_allclose(vectors[0], bare[0], atol=1e-6)
    np.testing.assert_allclose(vectors[1], bare[1] - 0.5 * bare[2], atol=1e-6)


def test_flip_without_a_beta_names_the_fix(minilm_folder):
    with pytest.raises(UnknownModelError, match=r"use flip:0\.5:NAME"):
        load_system(f"flip:{minilm_folder}")


def test_comlq_has_a_test_half_of_odd_ids_and_a_validation_half_of_even_ones(folder):
    names = ("comlq", "comlq-test-half", "comlq-validation-half")
    assert [set(load_benchmark(name, DataFolder(folder)).queries) for name in names] == [
        {"1", "2", "3"},
        {"1", "3"},
        {"2"},
    ]


def test_comlq_is_reported_by_negation_and_by_type(folder):
    report = run("comlq", "--model", "bm25", "--data", folder)
    assert set(report["by_template"]) == {"2in", "1p"}
    assert set(report["slices"]) == {"negated", "not negated"}
    assert report["slices"]["not negated"]["measures"]["RR@10"] == 1.0
    operators = load_benchmark("comlq", DataFolder(folder)).operators
    assert operators == {"1": {"and", "not"}, "2": {"and", "not"}, "3": set()}


def test_comlq_passages_with_all_words_of_a_negated_phrase_violate_it(folder):
    task = load_benchmark("comlq", DataFolder(folder))
    assert task.negated == {"1": {"1"}, "2": {"0", "2"}}, "0 is a comedy western, and in part an answer to 1"
    slices = run("comlq", "--model", "bm25", "--data", folder)["slices"]
    assert "wordLSNC@100" not in slices["not negated"]["measures"]
    mean = 1 - (math.log(2) + math.log(3)) / 2 / math.log(101)
    assert slices["negated"]["measures"]["wordLSNC@100"] == pytest.approx(mean)


def test_a_plain_model_changes_no_vector(folder, minilm_folder):
    measures = run("stackfaq", "--model", minilm_folder, "--data", folder)["measures"]
    assert measures == {"RR": 1.0, "RR, bare": 1.0, "queries": 3, "changed": 0, "changed hits": 0}


def test_catalogs_contain_things_and_other_corpora_pages(folder):
    kinds = {
        name: load_benchmark(name, DataFolder(folder)).documents_are
        for name in (
            "quest",
            "quest-partial",
            "quest-partial-quarter",
            "negconstraint",
            "nevir",
            "excluir",
            "stackfaq",
            "comlq",
            "excluir-pairs",
        )
    }
    assert {name for name, kind in kinds.items() if kind == "things"} == {
        "quest",
        "quest-partial",
        "quest-partial-quarter",
    }
    assert films_domain(DataFolder(folder)).documents_are == "things"
    assert pages_domain(DataFolder(folder)).documents_are == "pages"


def test_a_boolquestion_s_operator_can_be_given(tmp_path):
    (tmp_path / "boolquestions").symlink_to(FIXTURES / "boolquestions")
    task = load_benchmark("boolquestions", DataFolder(tmp_path)).with_given_operators()
    assert {key: query.operators for key, query in task.queries.items()} == {"m1": {"not"}, "m2": {"or"}}


def test_mistakes_are_named(folder, tmp_path):
    for arguments, message in (
        (("nonsense", "--model", "bm25", "--data", folder), "no benchmark 'nonsense'"),
        (("films", "--model", "bm25", "--data", tmp_path), "films.jsonl.zst"),
        (("quest-gate", "--model", "bm25", "--data", folder), "use 'rules'"),
        (("negconstraint", "--model", "rules", "--data", folder), "use a model"),
        (("stackfaq", "--model", "bm25", "--data", folder), "use a dense model"),
    ):
        result = CliRunner().invoke(app, ["evaluate", *map(str, arguments)], env={"COLUMNS": "400"})
        assert result.exit_code == 2
        assert message in " ".join(result.output.split())


def test_bad_rows_stop_or_are_counted(folder, tmp_path):
    broken = data_folder.make(tmp_path / "broken")
    with (broken / "negconstraint" / "corpus.jsonl").open("a") as file:
        file.write('{"_id": "9", "title": 3}\n')
    arguments = ["evaluate", "negconstraint", "--model", "bm25", "--data", str(broken)]
    stopped = CliRunner().invoke(app, arguments, env={"COLUMNS": "400"})
    assert stopped.exit_code == 2
    assert "corpus.jsonl, line 5" in " ".join(stopped.output.split())
    counted = CliRunner().invoke(app, [*arguments, "--skip-bad"])
    assert counted.exit_code == 0
    assert "skipped 1 bad rows" in counted.stderr


def test_a_skipped_query_does_not_count_as_failed(tmp_path):
    broken = data_folder.make(tmp_path / "broken")
    with (broken / "negconstraint" / "queries.jsonl").open("a") as file:
        file.write('{"_id": "bad", "text": 3}\n')
    with (broken / "negconstraint" / "qrels.tsv").open("a") as file:
        file.write("bad\t1\t1\n")
    skipped = run("negconstraint", "--model", "bm25", "--data", broken, "--skip-bad")
    assert skipped["measures"]["R@20"] == 1.0


def test_a_corpus_with_missing_documents_is_refused(tmp_path):
    short = data_folder.make(tmp_path / "short")
    (short / "excluir" / "corpus.json").write_text('["only one"]')
    with pytest.raises(FileNotFoundError, match="excluir needs the 2 documents"):
        load_benchmark("excluir", DataFolder(short))


def test_prompts_and_similarity_distinguish_models(minilm_folder):
    plain, prompted, dot = (SentenceTransformer(str(minilm_folder)) for _ in range(3))
    prompted.prompts["document"] = "passage: "
    dot.similarity_fn_name = "dot"
    assert len({DenseRetriever("m", model).fingerprint for model in (plain, prompted, dot)}) == 3
    dot.similarity_fn_name = "manhattan"
    with pytest.raises(ValueError, match="manhattan"):
        DenseRetriever("m", dot)


def test_every_benchmark_is_documented():
    from tests.test_docs import ROOT

    text = (ROOT / "lab/docs/benchmarks.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in text for name in BENCHMARKS)
