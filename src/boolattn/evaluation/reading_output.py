"""What ``boolattn evaluate`` prints about a reader. Needs no torch."""

import json
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from boolattn.evaluation.reading_outcome import ReadingOutcome
from boolattn.evaluation.reading_scores import KINDS, JudgedQuery, ReadingScores


def print_reading(outcome: ReadingOutcome, form: Literal["table", "markdown", "json"], errors: int = 0) -> None:
    """Print the figures of a reader, and so many of each kind of error."""
    shown = _Errors.of(outcome.judged, errors)
    if form == "json":
        found = outcome.as_json()
        if errors:
            found["errors"] = {name: [_as_json(each) for each in some] for name, some in shown._asdict().items()}
        print(json.dumps(found, indent=2, ensure_ascii=False))
        return
    console = Console()
    title = f"{outcome.task.name}: {outcome.reader}, over {outcome.documents}, {outcome.strictness}"
    grids = [_figures(outcome), *([_confusion(outcome.scores)] if outcome.scores.confusion else [])]
    if form == "markdown":
        print(title, *map(_markdown, grids), sep="\n\n", end="")
    else:
        console.print(title, *map(_table, grids), sep="\n")
        console.print("In brackets: 95 % intervals, bootstrap over queries" if outcome.scores.intervals else "")
    for line in _lines(shown):
        console.print(line, markup=False, highlight=False)


class _Grid(NamedTuple):
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


class _Errors(NamedTuple):
    false_alarms: Sequence[JudgedQuery]
    misses: Sequence[JudgedQuery]
    unlabelled: Sequence[JudgedQuery]  # read as an exclusion; nobody knows whether rightly

    @classmethod
    def of(cls, judged: Sequence[JudgedQuery], count: int) -> "_Errors":
        return cls(
            [each for each in judged if each.false_alarm][:count],
            [each for each in judged if each.miss][:count],
            [each for each in judged if each.unlabelled and each.applied][:count],
        )


def _figures(outcome: ReadingOutcome) -> _Grid:
    columns = {"all": outcome.scores} | outcome.groups
    known = [name for name in outcome.task.measures if any(name in each.figures for each in columns.values())]
    return _Grid(["", *columns], [[name, *(_cell(each, name) for each in columns.values())] for name in known])


def _confusion(scores: ReadingScores) -> _Grid:
    rows = [[kind, *(str(scores.confusion[kind][seen]) for seen in KINDS)] for kind in KINDS]
    return _Grid(["labelled", *(f"read as {kind}" for kind in KINDS)], rows)


def _cell(scores: ReadingScores, name: str) -> str:
    value = scores.figures.get(name)
    if value is None:
        return "-" if name in scores.figures else ""
    low, high = scores.intervals.get(name, (None, None))
    interval = f" [{low:.3f}, {high:.3f}]" if low is not None else ""
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}{interval}"


def _table(grid: _Grid) -> Table:
    drawn = Table()
    for number, name in enumerate(grid.header):
        drawn.add_column(escape(name), justify="right" if number else "left", no_wrap=number == 0)
    for row in grid.rows:
        drawn.add_row(*map(escape, row))
    return drawn


def _markdown(grid: _Grid) -> str:
    rule = ["---", *["---:"] * (len(grid.header) - 1)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (grid.header, rule, *grid.rows))


def _lines(errors: _Errors) -> Iterator[str]:
    titles = ("False alarms:", "Misses:", "Read as an exclusion, unlabelled:")
    for title, judged in zip(titles, errors, strict=True):
        if judged:
            yield f"\n{title}"
        for each in judged:
            detail = _read_as(each) if each.applied else f"excludes {', '.join(each.labels.excluded or ())}"
            yield f"  {each.labels.query}  [{detail}]"


def _read_as(each: JudgedQuery) -> str:
    pieces = (
        f"{exclusion.span.of(each.labels.query)} ({exclusion.kind}, {exclusion.confidence:.2f})"
        for exclusion in each.applied
    )
    return f"read: {', '.join(pieces)}"


def _as_json(each: JudgedQuery) -> dict[str, object]:
    found = [
        {"text": exclusion.span.of(each.labels.query), "kind": exclusion.kind, "confidence": exclusion.confidence}
        for exclusion in each.applied
    ]
    return {"query": each.labels.query, "excluded": each.labels.excluded, "read": found}
