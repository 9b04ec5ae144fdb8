import sys
from pathlib import Path

import numpy as np
import pytest

from boolattn.explanation.picture import COLOURS, draw
from boolattn.explanation.words import MINUS
from tests.explanation.handmade import handmade
from tests.explanation.queries import LONG, PLAIN, TWO_NEGATIONS, VIETNAM


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """Draw and return the figure that was saved."""
    figure = pytest.importorskip("matplotlib.figure").Figure
    saved, save = [], figure.savefig
    monkeypatch.setattr(
        figure, "savefig", lambda self, *args, **kwargs: (saved.append(self), save(self, *args, **kwargs))
    )

    def drawn(explanation):
        draw(explanation, tmp_path / "picture.png")
        assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
        return saved[-1]

    return drawn


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes[1:]]


def written(axes):
    return [text.get_text() for text in axes.texts]


def test_what_was_excluded_and_why(drawn, explain):
    explanation = explain(VIETNAM)
    figure = drawn(explanation)
    text, bars, cue, scope, bias, before, after = figure.axes
    assert written(text) == [
        VIETNAM,
        'Excludes "war", because of "but not".',
        "Rules. A lexicon of phrases; nothing here was learned.",
    ]
    labels = {label.get_text(): label.get_color() for label in bars.get_yticklabels()}
    assert labels[f"{MINUS} war"] == COLOURS["excluded"] and labels["» but"] == COLOURS["cue"]
    hollow, solid = bars.containers
    assert hollow[7].get_width() == pytest.approx(100 * explanation.attention_before[:, 8].mean())
    assert solid[7].get_width() == pytest.approx(100 * explanation.attention_after[:, 8].mean())
    assert titles(figure)[1:] == ["cue", "“not” acts on", "bias", "by layer: bare encoder", "with BoolAttn"]
    assert [written(axes) for axes in (cue, scope, bias)] == [["1.0"] * 2, ["1.0"] * 3, [f"{MINUS}4.0"] * 3]
    assert len(before.get_xticks()) == len(after.get_xticks()) == 6
    # More attention is darker, on one scale for both.
    darkness = [1 - axes.images[0].get_array()[..., :3].mean(-1) for axes in (before, after)]
    shares = [attention[:, 1:-1].T for attention in (explanation.attention_before, explanation.attention_after)]
    ratio = np.stack(darkness) / np.stack(shares)
    assert ratio.max() == pytest.approx(ratio.min(), rel=1e-3)


def test_without_an_operator_there_is_one_panel_of_each_kind(drawn, explain):
    figure = drawn(explain(PLAIN))
    assert titles(figure) == ["attention, %", "by layer"]
    assert "Nothing was changed: no exclusion was recognised" in written(figure.axes[0])[1]
    assert len(figure.axes[1].containers) == 1


def test_layers_that_differ_are_all_shown(drawn):
    explanation = handmade("films not war", {"not": ["not"]}, {"not": ["war"]})
    biases = explanation.biases.copy()
    biases[1, 4, 2] = -1
    changed = handmade("films not war", {"not": ["not"]}, {"not": ["war"]}, biases=biases)
    assert written(drawn(changed).axes[4]) == [f"{MINUS}2.0", f"{MINUS}1.0"]
    assert written(drawn(explanation).axes[4]) == [f"{MINUS}2.0"]


def test_text_stays_inside(drawn, explain):
    for query in (LONG, TWO_NEGATIONS, PLAIN):
        figure = drawn(explain(query))
        width = figure.bbox.width
        assert all(text.get_window_extent().x1 <= width for text in figure.axes[0].texts)
        assert " ".join(written(figure.axes[0])).startswith(query)


def test_dollar_signs_are_not_formulas(drawn):
    query = "gifts under $x_{$ not war"  # would be one, and a broken one
    assert written(drawn(handmade(query, {"not": ["not"]}, {"not": ["war"]})).axes[0])[0] == query


def test_a_missing_matplotlib_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'boolattn\[plots\]'"):
        draw(handmade("films"), Path("never.png"))
