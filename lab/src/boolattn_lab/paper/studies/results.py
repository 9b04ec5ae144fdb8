"""The results of one run of a study, in a file that comparisons can use without the model."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec

from boolattn_lab.benchmarks.evaluate import Outcome
from boolattn_lab.benchmarks.report import Report
from boolattn_lab.benchmarks.tasks import GateTask, RetrievalTask, Task
from boolattn_lab.paper.provenance import Provenance
from boolattn_lab.paper.studies.plan import StudyError

ALL = "all"  # the slice and template of a benchmark without slices or templates
KEPT = ("R@100", "nDCG@10", "violation@20")  # per query; a benchmark with none of them keeps everything
DIGITS = 6


@dataclass(frozen=True)
class Columns:
    """Values of some queries: one per measure and query, None if a measure does not apply."""

    queries: list[str]
    values: dict[str, list[float | None]]

    def of(self, measure: str) -> dict[str, float]:
        """Return query -> value, for the queries that have a value."""
        pairs = zip(self.queries, self.values.get(measure, [None] * len(self.queries)), strict=True)
        return {query: value for query, value in pairs if value is not None}


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The results of a run on one benchmark.

    Attributes:
        report: All figures: overall, by template, and both for each slice.
        by_query: Slice -> template -> values per query.
        provenance: The code, libraries and machine that produced them.
    """

    report: Report
    by_query: dict[str, dict[str, Columns]]
    provenance: Provenance

    @classmethod
    def of(cls, task: Task, outcome: Outcome, seed: int | None, provenance: Provenance) -> "Measured":
        """Keep the parts of an outcome that later comparisons need."""
        report = replace(outcome.report, seeds=() if seed is None else (seed,))
        return cls(report=report, by_query=_by_query(task, outcome), provenance=provenance)


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result file of one run.

    Attributes:
        system: Its name in the study.
        seed: None if nothing was trained.
        model: The model's name, if nothing was trained; "rewritten:" for a trained model with rewritten queries.
        recipes: The full recipe of each stage.
        stages: For each stage: folder, commit, versions, finish time, seconds, steps, cost and best epoch.
        benchmarks: Benchmark -> its results.
        left_out: Skipped benchmark -> why the system cannot run it.
    """

    system: str
    seed: int | None
    model: str | None
    recipes: list[dict[str, Any]]
    stages: list[dict[str, Any]] = field(default_factory=list)
    benchmarks: dict[str, Measured] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    def write(self, path: Path) -> None:
        """Write to a temporary file, then rename it, so that the file is always complete."""
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_suffix(f".{os.getpid()}.part")
        aside.write_bytes(msgspec.json.encode(self))
        aside.replace(path)

    @classmethod
    def read(cls, path: Path) -> "Result":
        """Read a result file."""
        try:
            return msgspec.json.decode(path.read_bytes(), type=cls)
        except msgspec.DecodeError as error:
            raise StudyError(f"{path} is not a study's result file: delete it ({error})") from error


def result_file(out: Path, name: str) -> Path:
    """Return the path of a run's result file."""
    return out / "results" / f"{name}.json"


def read_results(out: Path, systems: Sequence[str]) -> dict[str, list[Result]]:
    """Return all results, by system in the given order, then by seed."""
    found = [Result.read(path) for path in sorted((out / "results").glob("*.json"))]
    by_system = {name: [result for result in found if result.system == name] for name in systems}
    return {
        name: sorted(results, key=lambda result: result.seed or 0) for name, results in by_system.items() if results
    }


def over_seeds(several: Sequence[Columns], measure: str) -> dict[str, float]:
    """Return query -> mean of a measure over seeds."""
    by_seed = [columns.of(measure) for columns in several]
    if any(values.keys() != by_seed[0].keys() for values in by_seed):
        raise StudyError("the seeds of a system were evaluated on different queries: delete their results and rerun")
    return {query: fmean(values[query] for values in by_seed) for query in by_seed[0]}


def _by_query(task: Task, outcome: Outcome) -> dict[str, dict[str, Columns]]:
    template_of: Mapping[str, str] = task.template_of if isinstance(task, RetrievalTask | GateTask) else {}
    slice_of = (task.slice_of if isinstance(task, RetrievalTask) else None) or {}
    kept = [measure for measure in KEPT if measure in outcome.values] or outcome.values
    values = {measure: outcome.values[measure] for measure in kept}
    groups: dict[str, dict[str, list[str]]] = {}
    for query in dict.fromkeys(query for by_query in values.values() for query in by_query):
        templates = groups.setdefault(slice_of.get(query, ALL), {})
        templates.setdefault(template_of.get(query, ALL), []).append(query)

    def columns(queries: list[str]) -> Columns:
        return Columns(
            queries, {measure: [_short(by.get(query)) for query in queries] for measure, by in values.items()}
        )

    return {
        part: {template: columns(queries) for template, queries in templates.items()}
        for part, templates in groups.items()
    }


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
