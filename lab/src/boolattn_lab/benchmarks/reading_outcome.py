"""A reader's results, and how ``boolattn-lab evaluate`` prints them. Needs no torch."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table

from boolattn.reading.reading import Documents, Reader, Reading, Strictness
from boolattn_lab.benchmarks.reading_scores import KINDS, JudgedQuery, ReadingScores, judge, reading_scores
from boolattn_lab.benchmarks.tasks import ExclusionTask

READ_AT_ONCE = 1024


class ReadingOutcome(NamedTuple):
    """A reader's results on a benchmark.

    Attributes:
        task: The benchmark.
        reader: The reader's name and version.
        documents: "things" or "pages".
        strictness: The reader's required confidence, by name.
        judged: Every query with its labels and reading.
        scores: The figures that the benchmark reports, over all queries.
        groups: The figures of each group of queries.
    """

    task: ExclusionTask
    reader: str
    documents: Documents
    strictness: Strictness
    judged: Sequence[JudgedQuery]
    scores: ReadingScores
    groups: dict[str, ReadingScores]

    def as_json(self) -> dict[str, Any]:
        """Return JSON values."""
        about = {
            "benchmark": self.task.name,
            "reader": self.reader,
            "documents": self.documents,
            "strictness": self.strictness,
        }
        groups = {name: scores.as_json() for name, scores in self.groups.items()}
        return about | self.scores.as_json() | ({"groups": groups} if groups else {})


def evaluate_reader(
    task: ExclusionTask,
    reader: Reader,
    documents: Documents = "pages",
    strictness: Strictness = "safe",
    progress: bool = True,
) -> ReadingOutcome:
    """Run a reader on the queries of a benchmark.

    Args:
        task: The benchmark.
        reader: The reader.
        documents: What would be searched, "things" or "pages": only exclusions that apply to these count.
        strictness: The required confidence of a learned reader, by name.
        progress: Whether to show a progress bar.
    """
    if not task.queries:
        raise ValueError(f"{task.name} has no queries to read")
    excludes = True if task.all_exclude else None
    readings = _readings(task, reader, progress)
    judged = [
        judge(labels, reading, documents, strictness, excludes)
        for labels, reading in zip(task.queries, readings, strict=True)
    ]
    members: dict[str, list[JudgedQuery]] = {}
    for group, each in zip(task.group_of, judged, strict=bool(task.group_of)):
        members.setdefault(group, []).append(each)
    overall = reading_scores(judged)
    overall.figures.update(_rates(task, judged))
    groups = {name: _reported(task, reading_scores(some)) for name, some in members.items()}
    return ReadingOutcome(task, reader.name, documents, strictness, judged, _reported(task, overall), groups)


def _readings(task: ExclusionTask, reader: Reader, progress: bool) -> Iterator[Reading]:
    console = Console(stderr=True)  # standard output is reserved for results
    starts = range(0, len(task.queries), READ_AT_ONCE)
    for start in track(starts, "Reading", console=console, disable=not progress):
        yield from reader.read([each.query for each in task.queries[start : start + READ_AT_ONCE]])


def _rates(task: ExclusionTask, judged: Sequence[JudgedQuery]) -> dict[str, float]:
    """Return detected exclusions and false alarms per 10,000 queries, assuming unlabelled queries exclude nothing."""
    weights = [task.weight_of.get(group, 1) for group in task.group_of or [""] * len(judged)]
    weighted = list(zip(weights, judged, strict=True))
    read = sum(weight for weight, each in weighted if each.applied)
    wrongly = sum(weight for weight, each in weighted if each.false_alarm or (each.unlabelled and each.applied))
    per_query = 10_000 / sum(weights)
    return {"read_per_10000": per_query * read, "false_alarms_per_10000": per_query * wrongly}


def _reported(task: ExclusionTask, scores: ReadingScores) -> ReadingScores:
    figures = {name: scores.figures[name] for name in task.measures if name in scores.figures}
    intervals = {name: bounds for name, bounds in scores.intervals.items() if name in figures}
    return ReadingScores(figures, intervals, scores.confusion)


def print_reading(outcome: ReadingOutcome, form: Literal["table", "markdown", "json"], errors: int = 0) -> None:
    """Print a reader's figures, and some examples of each kind of error."""
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
    unlabelled: Sequence[JudgedQuery]  # read as excluding something; correctness unknown

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
    pieces = (f"{exclusion.text} ({exclusion.kind}, {exclusion.confidence:.2f})" for exclusion in each.applied)
    return f"read: {', '.join(pieces)}"


def _as_json(each: JudgedQuery) -> dict[str, object]:
    found = [
        {"text": exclusion.text, "kind": exclusion.kind, "confidence": exclusion.confidence}
        for exclusion in each.applied
    ]
    return {"query": each.labels.query, "excluded": each.labels.excluded, "read": found}
