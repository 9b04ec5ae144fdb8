"""A benchmark of exclusions and a reader -> what the reader reached. Needs no torch."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import track

from boolattn.evaluation.reading_scores import JudgedQuery, ReadingScores, judge, reading_scores
from boolattn.evaluation.tasks import ExclusionTask
from boolattn.reading.reading import Documents, Reader, Reading, Strictness

READ_AT_ONCE = 1024


class ReadingOutcome(NamedTuple):
    """What a reader reached on a benchmark.

    Attributes:
        task: The benchmark.
        reader: The reader's name and version.
        documents: Over what.
        strictness: How sure the reader had to be.
        judged: What it made of every query.
        scores: The figures over all queries that the benchmark reports.
        groups: Those of each group of queries.
    """

    task: ExclusionTask
    reader: str
    documents: Documents
    strictness: Strictness
    judged: Sequence[JudgedQuery]
    scores: ReadingScores
    groups: dict[str, ReadingScores]

    def as_json(self) -> dict[str, Any]:
        """Return what ``json.dumps`` takes."""
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
    """Let a reader read the queries of a benchmark.

    Args:
        task: The benchmark.
        reader: Who reads.
        documents: What would be searched: a query counts as read if an exclusion would be acted on over these.
        strictness: How sure a learned reader must be.
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
    console = Console(stderr=True)  # standard output belongs to the results
    starts = range(0, len(task.queries), READ_AT_ONCE)
    for start in track(starts, "Reading", console=console, disable=not progress):
        yield from reader.read([each.query for each in task.queries[start : start + READ_AT_ONCE]])


def _rates(task: ExclusionTask, judged: Sequence[JudgedQuery]) -> dict[str, float]:
    """Return how many of 10,000 queries are read, and how many wrongly if nothing unlabelled excludes anything."""
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
