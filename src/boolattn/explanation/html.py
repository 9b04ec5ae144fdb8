"""An explanation as a web page: one file, no scripts, no external resources."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from boolattn.explanation.explained_query import SOURCES, ExplainedQuery
from boolattn.explanation.words import (
    MEANINGS,
    Word,
    joined,
    percent,
    reasons,
    remark,
    runs_of,
    same_in_all_layers,
    signed,
    words_of,
)

_TEMPLATES = Environment(
    loader=PackageLoader("boolattn.explanation"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters |= {"percent": percent, "signed": signed}


@dataclass(frozen=True)
class Cell:
    """One cell of a grid: ``heat`` from -1 to 1 sets its colour; it may also show smaller numbers."""

    text: str
    heat: float
    above: str = ""
    below: str = ""


@dataclass(frozen=True)
class Row:
    """One word's numbers."""

    word: Word
    cells: list[Cell]


@dataclass(frozen=True)
class Grid:
    """Words by layers."""

    title: str
    note: str
    columns: list[str]
    rows: list[Row]


def page(explanation: ExplainedQuery) -> str:
    """Return a whole HTML page."""
    return _fill("page.html", explanation)


def fragment(explanation: ExplainedQuery) -> str:
    """Return the page's content with its style, for embedding in another page."""
    return _fill("explanation.html", explanation)


def _fill(template: str, explanation: ExplainedQuery) -> str:
    words = words_of(explanation)
    runs = list(runs_of(explanation.query, words))
    read = [word for word in words if word.role != "unread"]
    return _TEMPLATES.get_template(template).render(
        id=f"boolattn-{uuid4().hex[:8]}",  # a notebook may show several
        explanation=explanation,
        runs=runs,
        reasons=reasons(runs),
        joined=joined(runs),
        remark=remark(explanation, runs),
        roles=[role for role in MEANINGS if any(word.role == role for word in words)],
        meanings=MEANINGS,
        source_meaning=SOURCES[explanation.source],
        special=[
            token
            for token, span in zip(explanation.tokens, explanation.spans, strict=True)
            if not span.of(explanation.query)
        ],
        rest=[1 - sum(word.shares[when] for word in read) for when in (0, 1)],
        words=read,
        widest=max([share for word in read for share in word.shares], default=1),
        grids=_grids(explanation, read),
    )


def _grids(explanation: ExplainedQuery, words: Sequence[Word]) -> list[Grid]:
    """Return the grids that show values by layer."""
    if not len(explanation.scopes):
        return []
    biases = [_bias_grid(explanation, name, words) for name in explanation.held]
    return [*biases, _attention_grid(explanation, words)]


def _bias_grid(explanation: ExplainedQuery, name: str, words: Sequence[Word]) -> Grid:
    """Return the grid of an operator's cues and scope; layers with equal values share one column."""
    place = explanation.operators.index(name)
    touched = [word for word in words if word.scopes[:, place].any() or word.cues[place] >= 0.5]
    same = same_in_all_layers(explanation)
    layers = slice(1 if same else None)
    largest = float(np.abs(explanation.biases).max()) or 1.0

    def row(word: Word) -> Row:
        cells = [Cell(f"{word.cues[place]:.0%}", 0)]
        for scope, bias in zip(word.scopes[layers, place], word.biases[layers, place], strict=True):
            cells.append(Cell(signed(bias, 1), bias / largest, below=f"{scope:.0%}") if scope else Cell("", 0))
        return Row(word, cells)

    return Grid(
        title=f"“{name}”: scope, and bias on the attention scores",
        note="Cue: the probability that the word expresses it. Layers: the bias added to attention to the word and, "
        "in small print, the share of heads that put it in the scope. Words without either are not listed.",
        columns=["cue", *(["every layer"] if same else _layers(explanation))],
        rows=[row(word) for word in touched],
    )


def _attention_grid(explanation: ExplainedQuery, words: Sequence[Word]) -> Grid:
    changed = bool(explanation.held)
    changes = np.array([word.after - word.before for word in words])  # (words, layers)
    largest = float(np.abs(changes).max(initial=0)) or 1.0

    def cell(before: float, after: float) -> Cell:
        return Cell(percent(after), (after - before) / largest, above=percent(before) if changed else "")

    return Grid(
        title="Attention that each word receives",
        note="Per cent of all attention" + (": small, the bare encoder; below, with BoolAttn." if changed else "."),
        columns=_layers(explanation),
        rows=[Row(word, [cell(*pair) for pair in zip(word.before, word.after, strict=True)]) for word in words],
    )


def _layers(explanation: ExplainedQuery) -> list[str]:
    return ["layer 1", *(str(layer + 1) for layer in range(1, len(explanation.scopes)))]


@dataclass(frozen=True, eq=False)
class Explanation(ExplainedQuery):
    """An explained query that displays itself in a notebook."""

    def _repr_html_(self) -> str:
        return fragment(self)
