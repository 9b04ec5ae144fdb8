"""An explanation as a plot, in the style of the paper's figure 1. Needs matplotlib."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from boolattn.explanation.explained_query import SOURCES, Array, ExplainedQuery
from boolattn.explanation.words import MEANINGS, Role, Word, in_words, runs_of, same_in_all_layers, signed, words_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, MUTED, LINE, TINT = "#1d2127", "#57606a", "#d8dde3", "#fbe3e0"
COLOURS: dict[Role, str] = {
    "wanted": "#0b5cad",
    "excluded": "#b3261e",
    "cue": "#6b3fa0",
    "unused": MUTED,
    "unread": MUTED,
}
DEEPEST = 0.6  # darkest colour on which text stays readable
# In inches.
ROW, COLUMN, BARS, LABELS, LINE_OF_TEXT = 0.28, 0.32, 3.2, 1.6, 0.24


@dataclass(frozen=True, eq=False)
class Panel:
    """Numbers as a heat map: words by layers or by operators."""

    title: str
    values: Array  # (words, columns)
    columns: list[str]
    deepest: float  # the absolute value shown in full colour
    colour: str = MUTED  # for positive values
    digits: int | None = None  # if set, also print the numbers


def draw(explanation: ExplainedQuery, path: Path) -> None:
    """Plot words as rows, and cues, scopes, biases and attention by layer as columns. Save a PNG."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'boolattn[plots]'") from error
    if not len(explanation.scopes):
        raise ValueError(
            "this model has no accessible attention to plot: use a Boolean model, such as training-free:NAME, or use "
            "--html or the terminal instead of --png"
        )
    words = [word for word in words_of(explanation) if word.role != "unread"]
    panels = _panels(explanation, words)
    widths = [BARS, *(COLUMN * max(len(panel.columns) + 0.5, 3) for panel in panels)]
    width = LABELS + sum(widths)
    lines = _lines(explanation, words, columns=int(11.5 * (width - LABELS)))
    heights = [LINE_OF_TEXT * (len(lines) + 0.5), ROW * (2 + max(len(words), 1))]

    figure = Figure(figsize=(width, sum(heights) + 0.3), dpi=160, layout="constrained")
    grid = figure.add_gridspec(2, len(widths), width_ratios=widths, height_ratios=heights)
    _write(figure.add_subplot(grid[0, :]), lines)
    bars = figure.add_subplot(grid[1, 0])
    _draw_bars(bars, words, both=bool(explanation.held))
    for place, panel in enumerate(panels, start=1):
        _draw_heat(figure.add_subplot(grid[1, place], sharey=bars), panel, words)
    figure.savefig(path, format="png")


def _panels(explanation: ExplainedQuery, words: Sequence[Word]) -> list[Panel]:
    """Return the heat maps, only for operators that the query contains."""
    layers = [str(layer + 1) for layer in range(len(explanation.scopes))]
    before, after = (np.array([getattr(word, when) for word in words]) for when in ("before", "after"))
    most = float(max(before.max(initial=0), after.max(initial=0)))
    if not explanation.held:
        return [Panel("by layer", after, layers, most)]
    places = [explanation.operators.index(name) for name in explanation.held]
    cues = np.array([word.cues[places] for word in words])
    panels = [Panel("cue", cues, list(explanation.held), 1, COLOURS["cue"], digits=1)]
    shown, columns = (slice(1), ["every layer"]) if same_in_all_layers(explanation) else (slice(None), layers)
    for name, place in zip(explanation.held, places, strict=True):
        scope = np.array([word.scopes[shown, place] for word in words])
        panels.append(Panel(f"“{name}” acts on", scope, columns, 1, COLOURS["cue"], digits=1))
    biases = np.array([word.biases[shown].sum(1) for word in words])
    panels.append(Panel("bias", biases, columns, float(np.abs(biases).max()), COLOURS["wanted"], digits=1))
    return [*panels, Panel("by layer: bare encoder", before, layers, most), Panel("with BoolAttn", after, layers, most)]


def _lines(explanation: ExplainedQuery, words: Sequence[Word], columns: int) -> list[tuple[str, str]]:
    """Return the query and its explanation as lines with their font weight."""
    verdict = in_words(explanation, list(runs_of(explanation.query, words)))
    source = f"{explanation.source.capitalize()}. {SOURCES[explanation.source]}"
    bold = [(line, "bold") for line in textwrap.wrap(explanation.query, int(columns / 1.4))]
    return bold + [(line, "normal") for text in (*verdict, source) for line in textwrap.wrap(text, columns)]


def _write(axes: "Axes", lines: Sequence[tuple[str, str]]) -> None:
    axes.axis("off")
    for place, (line, weight) in enumerate(lines):
        height = 1 - (place + 0.5) / (len(lines) + 0.5)
        size = 12 if weight == "bold" else 10
        axes.text(0, height, line, size=size, weight=weight, color=INK, va="center", parse_math=False)


def _draw_bars(axes: "Axes", words: Sequence[Word], both: bool) -> None:
    """Plot the attention each word receives, mean over layers: hollow without the biases, solid with them."""
    places = np.arange(len(words))
    colours = [COLOURS[word.role] for word in words]
    before, after = ([100 * word.shares[when] for word in words] for when in (0, 1))
    if both:
        axes.barh(places - 0.2, before, 0.34, facecolor="white", edgecolor=MUTED, label="bare encoder")
    axes.barh(places + (0.2 if both else 0), after, 0.34, color=colours, label="with BoolAttn")
    axes.set_yticks(places, [f"{MEANINGS[word.role][0]} {word.text}" for word in words], parse_math=False)
    for label, word in zip(axes.get_yticklabels(), words, strict=True):
        label.set(color=COLOURS[word.role], weight="bold" if word.role in ("excluded", "cue") else "normal")
    axes.set_ylim(len(words) - 0.5, -0.5)
    axes.set_title("attention, %" + (" (hollow: bare encoder)" if both else ""), loc="left", size=9, color=INK)
    _finish(axes, words)
    axes.spines["left"].set_visible(True)


def _draw_heat(axes: "Axes", panel: Panel, words: Sequence[Word]) -> None:
    from matplotlib.colors import to_rgb

    colours = np.where(panel.values[..., None] < 0, to_rgb(COLOURS["excluded"]), to_rgb(panel.colour))
    depth = DEEPEST * np.abs(panel.values[..., None]) / (panel.deepest or 1)
    axes.imshow(depth * colours + 1 - depth, aspect="auto", alpha=np.where(panel.values, 1.0, 0.0))
    axes.hlines(np.arange(0.5, len(words) - 1), -0.5, len(panel.columns) - 0.5, color="white", linewidth=1)
    if panel.digits is not None:
        for (row, column), value in np.ndenumerate(panel.values):
            text = signed(value, panel.digits).lstrip("+")
            if text != "0":
                axes.text(column, row, text, size=7.5, color=INK, ha="center", va="center")
    axes.set_xticks(range(len(panel.columns)), panel.columns)
    axes.set_title(panel.title, loc="left", size=9, color=INK)
    axes.tick_params(labelleft=False)
    _finish(axes, words)


def _finish(axes: "Axes", words: Sequence[Word]) -> None:
    axes.tick_params(length=0, labelsize=9)
    axes.spines[:].set_visible(False)
    axes.spines["left"].set_color(LINE)
    for place, word in enumerate(words):
        if word.role == "excluded":
            axes.axhspan(place - 0.5, place + 0.5, color=TINT, zorder=-1, linewidth=0)
