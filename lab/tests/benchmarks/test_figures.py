"""The picture of a measure by template."""

import pytest

from boolattn_lab.benchmarks.figures import COLOURS, plot_by_template
from boolattn_lab.benchmarks.report import Report, mean_over_seeds

REPORT = Report("films", "bm25", {"R@100": 0.4}, {"_": {"R@100": 0.5}, "_ that are not _": {"R@100": 0.25}})
PARTIAL = Report("films", "minilm", {}, {"_ that are not _": {"R@100": 0.75}, "_ or _": {"AP": 0.1}})


@pytest.fixture
def drawn(monkeypatch):
    """The figures that were saved."""
    figure = pytest.importorskip("matplotlib.figure").Figure
    saved, save = [], figure.savefig
    monkeypatch.setattr(
        figure, "savefig", lambda self, *args, **kwargs: (saved.append(self), save(self, *args, **kwargs))
    )
    return saved


def test_bars_are_as_long_as_the_figures_and_templates_readable(tmp_path, drawn):
    plot_by_template([REPORT, PARTIAL], ["R@100"], tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    (axes,) = drawn[0].axes
    lengths = {bars.get_label(): [bar.get_width() for bar in bars] for bars in axes.containers}
    assert lengths["bm25"] == [0.5, 0.25]
    assert lengths["minilm"] == [pytest.approx(float("nan"), nan_ok=True), 0.75]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["A", "A that are not B"]
    assert ".75" in {text.get_text() for text in axes.texts}


def test_slots_in_parentheses_are_also_named(tmp_path, drawn):
    nested = Report("films", "bm25", {}, {"_ that are not (_ or _)": {"R@100": 0.5}})
    plot_by_template([nested], ["R@100"], tmp_path / "picture.png")
    assert [label.get_text() for label in drawn[0].axes[0].get_yticklabels()] == ["A that are not (B or C)"]


def test_each_measure_with_values_has_a_panel_with_the_same_templates(tmp_path, drawn):
    plot_by_template([REPORT, PARTIAL], ["R@100", "AP", "violation@20"], tmp_path / "picture.png")
    found, precision = drawn[0].axes
    assert [found.get_title("left"), precision.get_title("left")] == ["R@100", "AP"]
    assert [label.get_text() for label in found.get_yticklabels()] == ["A", "A or B", "A that are not B"]
    assert [bar.get_width() for bar in precision.containers[1]][1] == 0.1


def test_deviation_over_seeds_is_drawn(tmp_path, drawn):
    several = mean_over_seeds([REPORT, REPORT])
    plot_by_template([several], ["R@100"], tmp_path / "several.png")
    plot_by_template([REPORT], ["R@100"], tmp_path / "one.png")
    with_whiskers, without = (figure.axes[0] for figure in drawn)
    assert with_whiskers.collections
    assert not without.collections


def test_nothing_to_draw_and_too_much_to_draw(tmp_path):
    with pytest.raises(ValueError, match="no report has P@20"):
        plot_by_template([REPORT], ["P@20"], tmp_path / "never.png")
    with pytest.raises(ValueError, match=f"use at most {len(COLOURS)}"):
        plot_by_template([REPORT] * (len(COLOURS) + 1), ["R@100"], tmp_path / "never.png")
