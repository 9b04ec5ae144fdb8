import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolattn_lab.benchmarks.evaluate import Outcome
from boolattn_lab.benchmarks.report import Report
from boolattn_lab.benchmarks.significance import paired_bootstrap
from boolattn_lab.benchmarks.tasks import GateTask, RetrievalTask
from boolattn_lab.paper.provenance import Provenance
from boolattn_lab.paper.studies.picture import plot, points
from boolattn_lab.paper.studies.plan import StudyError
from boolattn_lab.paper.studies.results import Measured, Result, over_seeds, read_results, result_file
from boolattn_lab.paper.studies.tables import compare, laid_out, reports

TEMPLATE_OF = {f"{part}{n}": "_" if n < 5 else "_ not _" for part in "mn" for n in range(10)}
SLICE_OF = {query: "meaning" if query[0] == "m" else "names" for query in TEMPLATE_OF}
TASK = RetrievalTask("films", TEMPLATE_OF, tuple, {}, template_of=TEMPLATE_OF, slice_of=SLICE_OF)
WHENCE = Provenance(commit=None, versions={}, cpus=2, started="", seconds=1.0)


def _result(system, seed, shift, task=TASK):
    queries = list(TEMPLATE_OF)
    values = {
        "R@100": {query: n / 40 + shift for n, query in enumerate(queries)},
        "AP": dict.fromkeys(queries, 0.5),
        "nDCG@10": {query: n / 20 + shift for n, query in enumerate(queries)},
        "violation@20": {query: shift / 2 for query in queries if TEMPLATE_OF[query] != "_"},
    }
    report = Report.of("films", system, values, TEMPLATE_OF, task.slice_of)
    measured = Measured.of(task, Outcome(report, values, None), seed, WHENCE)
    return Result(system=system, seed=seed, model=None, recipes=[], benchmarks={"films": measured})


RESULTS = {"bare": [_result("bare", None, 0.1)], "ours": [_result("ours", 0, 0.2), _result("ours", 1, 0.4)]}


def test_a_table_has_means_deviations_violation_and_recall():
    bare, ours = reports(RESULTS, "films")
    assert list(ours.slices["meaning"].measures) == ["R@100", "violation@20", "nDCG@10"]
    assert ours.slices["meaning"].measures["violation@20"] == pytest.approx(0.15)
    assert ours.deviation.measures["violation@20"] == pytest.approx(0.1 / 2**0.5)
    assert ours.seeds == (0, 1)
    assert bare.deviation is None
    [shown] = laid_out(RESULTS, None, True, 80)
    assert shown.startswith("**films**\n\n| queries | model | R@100 | violation@20 | nDCG@10 |")
    assert r"| meaning: \_ not \_ | ours | 0.475 ± 0.141 | 0.150 ± 0.071 |" in shown


def test_differences_are_of_means_over_seeds_overall_and_by_template():
    rows = {(row.system, row.queries, row.measure): row.difference for row in compare(RESULTS, "films", "bare")}
    assert {system for system, _, _ in rows} == {"ours"}
    assert {queries for _, queries, _ in rows} == {
        f"{part}: {group}" for part in ("meaning", "names") for group in ("all", "_", "_ not _")
    }
    assert rows["ours", "names: all", "R@100"] == pytest.approx((0.2, 0.2, 0.2))  # the same for every query
    assert rows["ours", "names: all", "violation@20"] == pytest.approx((0.1, 0.1, 0.1))
    assert ("ours", "names: _", "violation@20") not in rows  # where nothing is excluded
    back = {row.queries: row.difference.mean for row in compare(RESULTS, "films", "ours") if row.measure == "R@100"}
    assert back["meaning: _"] == pytest.approx(-0.2)
    with pytest.raises(StudyError, match="no results for 'bear'; choose from bare, ours"):
        list(compare(RESULTS, "films", "bear"))


def test_the_interval_is_that_of_the_paired_bootstrap():
    other = _result("other", None, 0.0)
    columns = other.benchmarks["films"].by_query["names"]["_"]
    columns.values["R@100"][:] = [0.9, 0.1, 0.3, 0.2, 0.0]
    rows = compare({"bare": RESULTS["bare"], "other": [other]}, "films", "bare")
    [row] = [row for row in rows if (row.queries, row.measure) == ("names: _", "R@100")]
    theirs = RESULTS["bare"][0].benchmarks["films"].by_query["names"]["_"].of("R@100")
    assert row.difference == paired_bootstrap(columns.of("R@100"), theirs)


def test_the_interval_over_seeds_is_of_their_means():
    theirs = [_result("theirs", seed, shift) for seed, shift in enumerate((0.10, 0.12, 0.14))]
    ours = [_result("ours", seed, shift) for seed, shift in enumerate((0.13, 0.17, 0.15))]
    rows = {row.queries: row for row in compare({"theirs": theirs, "ours": ours}, "films", "theirs")}
    row = rows["names: _"]
    assert row.difference == pytest.approx((0.03, 0.03, 0.03))  # every query gains as much
    # Student's t with 4 degrees of freedom: 2.776 standard errors of 0.02 * sqrt(2 / 3)
    assert row.over_seeds == pytest.approx((0.03, 0.03 - 0.0453, 0.03 + 0.0453), abs=1e-4)
    [text] = [shown for shown in laid_out({"theirs": theirs, "ours": ours}, "theirs", True, 80) if "Diff" in shown]
    assert "| +0.030 | [+0.030, +0.030] | [-0.015, +0.075] |" in text


def test_a_single_seed_has_no_interval_over_seeds():
    assert {row.over_seeds for row in compare(RESULTS, "films", "bare")} == {None}


def test_differences_are_shown_in_both_forms():
    _, text = laid_out(RESULTS, "bare", True, 80)
    assert r"| meaning: \_ not \_ | ours | R@100 | +0.200 | [+0.200, +0.200] | n/a |" in text
    *_, table = laid_out(RESULTS, "bare", False, 80)
    assert "from bare" in table.title
    assert table.row_count == 16


def test_a_benchmark_of_readings_is_compared_by_what_it_has():
    task = GateTask("quest-gate", {}, {}, {"a": "_", "b": "_ or _"})
    values = {"exact": {"a": 1.0, "b": 0.0}}
    results = {}
    for name, hit in (("rules", 0.0), ("ours", 1.0)):
        values = {"exact": {"a": 1.0, "b": hit}}
        report = Report.of(task.name, name, values, task.template_of)
        measured = Measured.of(task, Outcome(report, values, None), None, WHENCE)
        results[name] = [Result(system=name, seed=None, model=name, recipes=[], benchmarks={task.name: measured})]
    rows = {row.queries: row.difference.mean for row in compare(results, task.name, "rules")}
    assert rows == {"all": 0.5, "_": 0.0, "_ or _": 1.0}
    assert reports(results, task.name)[1].measures == {"exact": 1.0}


def test_results_round_trip(tmp_path):
    for result in [*RESULTS["ours"][::-1], *RESULTS["bare"], _result("another study's", None, 0.0)]:
        result.write(result_file(tmp_path, f"{result.system}-{result.seed}"))
    assert read_results(tmp_path, ["bare", "never run", "ours"]) == RESULTS
    assert list(read_results(tmp_path, ["ours", "bare"])) == ["ours", "bare"]
    (tmp_path / "results" / "broken.json").write_text("{")
    with pytest.raises(StudyError, match=r"broken.json .*delete it"):
        read_results(tmp_path, ["ours"])


@given(st.lists(st.lists(st.floats(0, 1), min_size=20, max_size=20), min_size=1, max_size=4))
def test_the_mean_over_seeds_is_query_by_query(rows):
    several = []
    for row in rows:
        values = {"R@100": dict(zip(TEMPLATE_OF, row, strict=True))}
        report = Report.of("films", "x", values, TEMPLATE_OF)
        measured = Measured.of(TASK, Outcome(report, values, None), 0, WHENCE)
        several.append(measured.by_query["names"]["_"])
    means = over_seeds(several, "R@100")
    for query, value in means.items():
        place = list(TEMPLATE_OF).index(query)
        assert value == pytest.approx(sum(row[place] for row in rows) / len(rows), abs=1e-5)
    assert list(means) == [f"n{n}" for n in range(5)]


def test_seeds_measured_on_other_queries_are_refused():
    ours = RESULTS["ours"][0].benchmarks["films"].by_query["names"]
    with pytest.raises(StudyError, match="different queries"):
        over_seeds([ours["_"], ours["_ not _"]], "R@100")


def test_the_picture_is_of_the_queries_that_exclude_something(tmp_path):
    pytest.importorskip("matplotlib")
    bare, ours = points(RESULTS, "films", "names")
    assert (bare.wanted[1], bare.excluded) == (0.0, (pytest.approx(0.05), 0.0))
    assert ours.wanted == (pytest.approx(17 / 20 + 0.3), pytest.approx(0.2 / 2**0.5))
    plot(RESULTS, "films", "names", tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(StudyError, match="no result has violation@20 on films, nmaes"):
        plot(RESULTS, "films", "nmaes", tmp_path / "never.png")
