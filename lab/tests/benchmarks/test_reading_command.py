"""``boolattn-lab evaluate reading``, and the benchmarks of readers, on small files."""

import json
import subprocess
import sys

import pytest
import zstandard
from typer.testing import CliRunner

from boolattn_lab.benchmarks.sets import READER_BENCHMARKS
from boolattn_lab.cli import app
from boolattn_lab.formats.hashed_labels import measures_only

ROWS = [
    {"query": "films set in Vietnam but not about war", "excluded": ["war"]},
    {"query": "python web frameworks other than django", "excluded": ["django"], "soft": False},
    {"query": "korean marinade no soy sauce", "excluded": ["soy sauce"]},
    {"query": "treating headaches without medication", "excluded": [], "soft": False},
    {"query": "chicken soup recipe", "excluded": []},
    {"query": "phone without contract", "excluded": ["contract"], "soft": True},
]


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(zstandard.compress(data) if path.suffix == ".zst" else data)
    return path


def invoke(*arguments):
    return CliRunner().invoke(app, ["evaluate", *map(str, arguments)], env={"COLUMNS": "200", "BOOLATTN_DATA": ""})


def run(*arguments) -> dict:
    result = invoke(*arguments, "--reader", "rules", "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("name", ["queries.jsonl", "queries.jsonl.zst"])
def test_a_labelled_file(tmp_path, name):
    found = run("reading", "--queries", write(tmp_path / name, ROWS))
    assert "rules" in found["reader"]
    assert (found["queries"], found["firm"], found["false_alarms"]) == (6, 5, 1)
    assert (found["precision"], found["recall"]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert found["f1"] == pytest.approx(2 / 3)
    assert found["scope_f1"] == 1.0
    assert "kind_accuracy" not in found and "confusion" not in found


def test_a_file_without_labels(tmp_path):
    found = run("reading", "--queries", write(tmp_path / "q.jsonl", [{"query": row["query"]} for row in ROWS]))
    assert (found["queries"], found["read"]) == (6, 4)
    assert "precision" not in found and "firm" not in found


def test_a_file_with_kinds_over_things_and_pages(tmp_path):
    path = write(
        tmp_path / "kinds.jsonl",
        [
            {"query": "python web frameworks other than django", "excluded": ["django"], "kind": "topic"},
            {"query": "films that are not comedies", "excluded": ["comedies"], "kind": "property"},
            {"query": "chicken soup recipe", "excluded": [], "kind": "none"},
        ],
    )
    things = run("reading", "--queries", path, "--documents", "things")
    assert (things["recall"], things["precision"]) == (1.0, 1.0)
    assert set(things["confusion"]) == {"topic", "property", "none"}
    assert sum(sum(row.values()) for row in things["confusion"].values()) == 3
    assert things["confusion"]["topic"]["topic"] == things["confusion"]["none"]["none"] == 1
    assert things["kind_accuracy"] == pytest.approx((2 + things["confusion"]["property"]["property"]) / 3)
    assert run("reading", "--queries", path)["recall"] == 1.0


def test_the_table_shows_intervals_and_errors(tmp_path):
    path = write(tmp_path / "q.jsonl", ROWS)
    shown = invoke("reading", "--queries", path, "--reader", "rules", "--errors", "1").stdout
    assert "0.667 [" in shown
    assert "treating headaches without medication  [read: medication" in shown
    assert "korean marinade no soy sauce  [excludes soy sauce]" in shown
    assert "treating" not in invoke("reading", "--queries", path, "--reader", "rules").stdout
    errors = run("reading", "--queries", path, "--errors", "5")["errors"]
    assert [row["query"] for row in errors["misses"]] == ["korean marinade no soy sauce"]
    assert [row["read"][0]["text"] for row in errors["false_alarms"]] == ["medication"]


def test_markdown(tmp_path):
    path = write(tmp_path / "q.jsonl", ROWS)
    shown = invoke("reading", "--queries", path, "--reader", "rules", "--markdown").stdout
    assert "| false_alarms | 1 |" in shown


def test_mistakes_are_named(tmp_path):
    path = write(tmp_path / "q.jsonl", ROWS)
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"query": "a"}\n{"question": "b"}\n')
    empty = write(tmp_path / "empty.jsonl", [])
    for arguments, message in (
        (["reading"], "reading needs --queries FILE.jsonl"),
        (["reading", "--queries", path, "--model", "bm25"], "use --reader instead of --model"),
        (["real-queries", "--reader", "rules"], "real-queries needs --data DIR"),
        (["real-queries", "--data", tmp_path, "--queries", path], "real-queries has its own queries"),
        (["real-queries", "--data", tmp_path], "real-queries needs " + str(tmp_path / "real-queries")),
        (["films", "--data", tmp_path], "films needs --model MODEL"),
        (["films", "--model", "bm25"], "films needs --data DIR"),
        (["nonsense", "--model", "bm25", "--data", tmp_path], "no benchmark 'nonsense'"),
        (["reading", "--queries", path, "--reader", "clever"], "no reader 'clever'"),
        (["reading", "--queries", bad, "--reader", "rules"], f"{bad}, line 2, field 'query'"),
        (["reading", "--queries", empty, "--reader", "rules"], "no queries"),
        (["reading", "--queries", tmp_path / "none.jsonl", "--reader", "rules"], "none.jsonl"),
        (["reading", "--queries", path, "--documents", "books"], "books"),
        (["reading", "--queries", path, "--given-operators"], "remove --given-operators"),
    ):
        result = invoke(*arguments)
        assert result.exit_code == 2, result.output
        assert message.replace(" ", "") in "".join(result.output.replace("│", "").split()), result.output


def test_bad_rows_can_be_skipped(tmp_path):
    path = write(tmp_path / "q.jsonl", [*ROWS, {"query": "soup", "excluded": ["bread"]}])
    assert run("reading", "--queries", path, "--skip-bad")["queries"] == len(ROWS)


def test_it_needs_no_torch(tmp_path):
    path = write(tmp_path / "q.jsonl", ROWS)
    code = (
        "import sys; from boolattn_lab.cli import app\n"
        f"try: app(['evaluate', 'reading', '--queries', {str(path)!r}, '--reader', 'rules'])\n"
        "except SystemExit as end: print('exit', end.code, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("exit 0 False\n"), done.stdout + done.stderr


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write(folder / "real-queries" / "labelled.jsonl", ROWS)
    others = [{"query": "weather in Rome"}, {"query": "excel formula excluding weekends"}, {"query": "news today"}]
    write(folder / "real-queries" / "queries.jsonl.zst", [{"query": row["query"]} for row in ROWS] + others)
    write(folder / "real-wordings" / "dev.jsonl", ROWS)
    write(folder / "kinds" / "train.jsonl", [{"query": "no ads please", "excluded": ["ads"], "kind": "topic"}])
    questions = [("fi", "Missä on Turku?"), ("fi", "pubs, but not bars"), ("de", "Wo liegt Bonn?")]
    write(folder / "other-languages" / "queries.jsonl", [{"language": a, "query": b} for a, b in questions])
    write(
        folder / "comlq" / "queries.jsonl",
        [
            {"_id": "0", "text": "Who is not a king, excluding dukes?", "type": "2in"},
            {"_id": "1", "text": "Which song is by X, excluding pop?", "type": "2in_1"},
            {"_id": "3", "text": "Which river is not in Peru?", "type": "pni"},
            {"_id": "5", "text": "Who is the brother of Moses?", "type": "1p"},
        ],
    )
    pairs = [{"query": "Besides X, who acts in Y, excluding Z?"}, {"query": "Who acts in Y?"}]
    write(folder / "excluir-pairs" / "pairs_1000.jsonl", pairs)
    write(folder / "negconstraint" / "queries.jsonl", [{"_id": "0", "text": "Aaron, but don't mention Moses."}])
    asked = [{"query": row["query"], "excluded": row["excluded"], "documents": "things"} for row in ROWS[:2]]
    asked += [{"query": "why does my cat not eat", "excluded": [], "documents": "pages"}]
    for name in ("requests", "shop"):
        write(folder / name / "labelled.jsonl", asked)
    write(folder / "requests" / "unlabelled.jsonl", [{"query": "news today"}])
    for name in ("shop", "web-queries"):
        write(folder / name / "queries.jsonl.zst", [{"query": f"brown belt {number}"} for number in range(9)])
    return folder


def test_a_benchmark_of_things_counts_only_rows_over_things(data):
    found = run("requests-things", "--data", data)
    assert (found["queries"], found["documents"]) == (2, "things")
    assert (run("requests-pages", "--data", data)["queries"], run("shop", "--data", data)["queries"]) == (1, 2)


def test_harm_is_measured_on_the_half_that_nothing_is_trained_on(data):
    kept = {f"brown belt {number}" for number in range(9) if measures_only(f"brown belt {number}")}
    assert 0 < len(kept) < 9
    assert (
        run("shop-queries", "--data", data)["queries"]
        == run("web-queries-pages", "--data", data)["queries"]
        == len(kept)
    )


def test_real_queries_count_the_labelled_ones_twice(data):
    found = run("real-queries", "--data", data)
    assert found["queries"] == 9
    assert found["groups"]["labelled"]["queries"] == 6
    assert found["groups"]["not labelled"] == {"queries": 3, "read": 1}
    assert (found["firm"], found["false_alarms"], found["read"]) == (5, 1, 5)
    assert found["read_per_10000"] == pytest.approx(10_000 * (2 * 4 + 1) / (2 * 6 + 3))
    assert found["false_alarms_per_10000"] == pytest.approx(10_000 * (2 * 1 + 1) / (2 * 6 + 3))


def test_other_languages_by_language(data):
    found = run("other-languages", "--data", data)
    assert (found["queries"], found["read"]) == (3, 1)
    assert found["groups"]["fi"]["read"] == 1
    assert found["groups"]["de"]["read"] == 0


def test_comlq_keeps_odd_ids_and_parts_negated_queries(data):
    groups = run("comlq-reading", "--data", data)["groups"]
    assert groups["negated"]["queries"] == 2
    assert groups["not negated"] == {"queries": 1, "read": 0, "share_read": 0.0}


def test_queries_that_all_exclude_give_recall_alone(data):
    found = run("excluir-reading", "--data", data)
    assert (found["queries"], found["recall"]) == (2, 0.5)
    assert "precision" not in found
    assert run("negconstraint-reading", "--data", data)["recall"] == 1.0


@pytest.mark.parametrize("benchmark", READER_BENCHMARKS)
def test_every_benchmark_of_readers_runs_and_is_documented(data, benchmark):
    from tests.test_docs import ROOT

    assert run(benchmark, "--data", data)["benchmark"] == benchmark
    assert f"| `{benchmark}` |" in (ROOT / "lab/docs/benchmarks.md").read_text(encoding="utf-8")
