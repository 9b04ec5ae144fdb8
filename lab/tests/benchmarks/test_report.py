"""Reports and their output formats."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from boolattn_lab.benchmarks.report import Report, markdown, mean_over_seeds, tables

VALUES = {"R@100": {"a": 1.0, "b": 0.5, "c": 0.0}, "violation@20": {"c": 0.25}}
TEMPLATE_OF = {"a": "_", "b": "_", "c": "_ that are not _"}


def test_json_has_exactly_the_promised_form():
    report = Report.of("films", "bm25", VALUES, TEMPLATE_OF)
    assert json.loads(json.dumps(report.as_json())) == {
        "benchmark": "films",
        "model": "bm25",
        "measures": {"R@100": 0.5, "violation@20": 0.25},
        "by_template": {"_": {"R@100": 0.75}, "_ that are not _": {"R@100": 0.0, "violation@20": 0.25}},
    }


def test_slices_have_their_own_figures_and_are_not_mixed_in_tables():
    report = Report.of("films", "bm25", VALUES, TEMPLATE_OF, {"a": "names", "b": "meaning", "c": "meaning"})
    assert report.as_json()["slices"] == {
        "names": {"measures": {"R@100": 1.0}, "by_template": {"_": {"R@100": 1.0}}},
        "meaning": {
            "measures": {"R@100": 0.25, "violation@20": 0.25},
            "by_template": {"_": {"R@100": 0.5}, "_ that are not _": {"R@100": 0.0, "violation@20": 0.25}},
        },
    }
    lines = markdown([report]).splitlines()
    assert lines[2:] == [
        "| names: all | bm25 | 1.000 |  |",
        r"| names: \_ | bm25 | 1.000 |  |",
        "| meaning: all | bm25 | 0.250 | 0.250 |",
        r"| meaning: \_ | bm25 | 0.500 |  |",
        r"| meaning: \_ that are not \_ | bm25 | 0.000 | 0.250 |",
    ]


def test_markdown_puts_models_under_each_other():
    first = Report("films", "bm25", {"R@100": 0.4}, {"_": {"R@100": 0.5}})
    second = Report("films", "mini|lm", {"R@100": 0.6, "AP": 0.1}, {"_ or _": {"AP": 0.2}})
    assert markdown([first, second]) == (
        "| queries | model | R@100 | AP |\n"
        "| --- | --- | ---: | ---: |\n"
        "| all | bm25 | 0.400 |  |\n"
        "| all | mini\\|lm | 0.600 | 0.100 |\n"
        "| \\_ | bm25 | 0.500 |  |\n"
        "| \\_ | mini\\|lm |  |  |\n"
        "| \\_ or \\_ | bm25 |  |  |\n"
        "| \\_ or \\_ | mini\\|lm |  | 0.200 |\n"
    )


def test_table_shows_every_cell():
    terminal = io.StringIO()
    report = Report.of("films", "[bold]odd", VALUES, TEMPLATE_OF)
    Console(file=terminal, width=100).print(*tables([report, replace(report, model="bm25")], width=100))
    shown = terminal.getvalue()
    assert "films" in shown
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in shown.splitlines() if line.startswith("│")]
    assert rows == [
        ["all", "[bold]odd", "0.500", "0.250"],
        ["all", "bm25", "0.500", "0.250"],
        ["_", "[bold]odd", "0.750", ""],
        ["_", "bm25", "0.750", ""],
        ["_ that are not _", "[bold]odd", "0.000", "0.250"],
        ["_ that are not _", "bm25", "0.000", "0.250"],
    ]


def seeded(seed: int, figure: float) -> Report:
    part = Report("films, names", "ours", {"R@100": figure / 2})
    return Report("films", "ours", {"R@100": figure}, {"_": {"R@100": 2 * figure}}, {"names": part}, (seed,))


def test_mean_and_deviation_over_seeds():
    report = mean_over_seeds([seeded(0, 0.1), seeded(1, 0.3), seeded(2, 0.5)])
    shown = report.as_json()
    assert shown["seeds"] == [0, 1, 2]
    assert shown["measures"] == pytest.approx({"R@100": 0.3})
    assert shown["by_template"]["_"] == pytest.approx({"R@100": 0.6})
    assert shown["deviation"]["measures"] == pytest.approx({"R@100": 0.2})  # the sample's, with n - 1
    assert shown["deviation"]["by_template"]["_"] == pytest.approx({"R@100": 0.4})
    assert shown["slices"]["names"]["measures"] == pytest.approx({"R@100": 0.15})
    assert shown["slices"]["names"]["deviation"]["measures"] == pytest.approx({"R@100": 0.1})
    assert "| names: all | ours | 0.150 ± 0.100 |" in markdown([report])


def test_unrelated_reports_are_not_combined():
    report = seeded(0, 0.1)
    with pytest.raises(ValueError, match="two or more reports"):
        mean_over_seeds([report])
    with pytest.raises(ValueError, match="one model"):
        mean_over_seeds([report, replace(report, model="another")])
    with pytest.raises(ValueError, match="one benchmark, not 2"):
        markdown([report, replace(report, benchmark="debian")])


def test_measures_that_do_not_fit_are_moved_to_another_table():
    measures = {f"measure@{number}": number / 10 for number in range(10)}
    report = Report("films", "a-model-with-a-long-name", measures, {"a template that is rather long": measures})
    terminal = io.StringIO()
    drawn = list(tables([report], width=80))
    Console(file=terminal, width=80).print(*drawn)
    assert len(drawn) > 1
    for number in range(10):
        assert terminal.getvalue().count(f"measure@{number} ") == 1
        assert terminal.getvalue().count(f"0.{number}00 ") == 2
