"""Draw the hits of the demonstration's second query, plain and Boolean, side by side. Needs no torch.

python docs/figures/side_by_side.py
"""

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from boolattn.demo.output import Answer, answer, read_queries
from boolattn.demo.sample_films import Film, load_films
from boolattn.operators import NOT

INK, GREY, RED, GREEN = "#1b1f24", "#6a737d", "#b3261e", "#1a7f37"
OUT = Path(__file__).with_name("side-by-side.png")


def main() -> None:
    """Write the picture."""
    found = answer(load_films(), read_queries()[1])
    assert found.boolean is not None, f"no vector for {found.missing!r}: boolattn-lab demo-vectors"
    figure, axes = plt.subplots(figsize=(10.5, 3.6))
    axes.set(xlim=(0, 100), ylim=(8.35, -0.55))
    axes.axis("off")
    _query(axes, found)
    _column(axes, 3, "the embedding model", found.plain)
    _column(axes, 52, "the same index, with boolattn", found.boolean)
    figure.savefig(OUT, dpi=160, bbox_inches="tight", pad_inches=0.1, facecolor="white", metadata={"Software": None})
    print(OUT)


def _query(axes: Axes, found: Answer) -> None:
    """Write the query, with what is excluded in red."""
    query, (exclusion,) = found.reading.query, found.reading.exclusions
    cue = found.reading.cues[NOT.name][0]
    pieces = [
        (query[: cue.start], INK),
        (query[cue.start : exclusion.span.start], GREY),
        (exclusion.span.of(query), RED),
    ]
    style = {"fontsize": 15, "fontweight": "bold", "va": "center"}
    shown = axes.text(3, 0, pieces[0][0], color=pieces[0][1], **style)
    for text, colour in pieces[1:]:
        shown = axes.annotate(text, (1, 0.5), xycoords=shown, color=colour, **style)
    axes.text(3, 1, f"read as: {found.reading.plan()}", fontsize=10.5, color=GREY, va="center")


def _column(axes: Axes, left: float, title: str, hits: Sequence[Film]) -> None:
    axes.text(left, 2.3, title, fontsize=12, fontweight="bold", color=INK, va="center")
    axes.plot([left, left + 45], [2.85, 2.85], color="#d0d7de", linewidth=1)
    for place, film in enumerate(hits, start=1):
        wrong, height = "war" in film.genres, 2.5 + place
        mark, colour = ("\u2717", RED) if wrong else ("\u2713", GREEN)
        axes.text(left, height, mark, fontsize=13, color=colour, va="center", fontfamily="DejaVu Sans")
        axes.text(left + 4, height, film.name, fontsize=11.5, color=RED if wrong else INK, va="center")
        axes.text(left + 45, height, ", ".join(film.genres), fontsize=10.5, color=GREY, va="center", ha="right")


if __name__ == "__main__":
    main()
