"""The results of a benchmark as a terminal table, JSON or Markdown."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev
from typing import Any, NamedTuple, TypeAlias

from rich.markup import escape
from rich.table import Table

from boolattn_lab.benchmarks.measures import PerQuery
from boolattn_lab.benchmarks.significance import grouped, means

WIDEST_LABELS = 40  # width of a table's label columns; longer labels are wrapped

Figures: TypeAlias = Mapping[str, float]
"""Measure -> its value."""


@dataclass(frozen=True, slots=True)
class Report:
    """One model's results on one benchmark.

    Attributes:
        benchmark: The benchmark's name.
        model: The model's name.
        measures: The figures over all queries.
        by_template: The figures of each template's queries.
        slices: Parts of the benchmark to report separately, each with its own report.
        seeds: The seeds the model was trained with, if any.
        deviation: The standard deviation of every figure over the seeds, if there are several.
        gate: Source of a Boolean model's operators: "given", the benchmark's gold labels; "learned", the mechanism's
            learned gate; "closed", a mechanism without a source. None for other models, and if a reader finds them.
        document_tokens: Maximum tokens per document for a dense model; None for other systems, and if the benchmark
            ranks no documents.
    """

    benchmark: str
    model: str
    measures: Figures
    by_template: Mapping[str, Figures] = field(default_factory=dict)
    slices: Mapping[str, "Report"] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()
    deviation: "Report | None" = None
    gate: str | None = None
    document_tokens: int | None = None

    @property
    def label(self) -> str:
        """The model's name in tables, with its gate if it has one."""
        return labelled_with_gate(self.model, self.gate)

    @classmethod
    def of(
        cls,
        benchmark: str,
        model: str,
        values: PerQuery,
        template_of: Mapping[str, str],
        slice_of: Mapping[str, str] | None = None,
    ) -> "Report":
        """Average per-query values overall, by template, and by slice if the benchmark has slices."""
        parts = grouped(values, slice_of) if slice_of else {}
        return cls(
            benchmark,
            model,
            means(values),
            {name: means(part) for name, part in (grouped(values, template_of) if template_of else {}).items()},
            {name: cls.of(f"{benchmark}, {name}", model, part, template_of) for name, part in parts.items()},
        )

    def as_json(self) -> dict[str, Any]:
        """Return JSON values, without empty fields."""
        stated = {"gate": self.gate, "document_tokens": self.document_tokens}
        known = {name: value for name, value in stated.items() if value is not None}
        return {"benchmark": self.benchmark, "model": self.model, **known, **self._figures_as_json()}

    def _figures_as_json(self) -> dict[str, Any]:
        figures: dict[str, Any] = {
            "measures": dict(self.measures),
            "by_template": {template: dict(figures) for template, figures in self.by_template.items()},
        }
        if self.slices:
            figures["slices"] = {name: part._figures_as_json() for name, part in self.slices.items()}
        if self.seeds:
            figures["seeds"] = list(self.seeds)
        if self.deviation:
            figures["deviation"] = self.deviation._figures_as_json()
        return figures


def labelled_with_gate(model: str, gate: str | None) -> str:
    """Return a model's name in tables."""
    return model if gate is None else f"{model} (gate: {gate})"


def mean_over_seeds(reports: Sequence[Report]) -> Report:
    """Merge the reports of one model trained with several seeds: mean and sample deviation of every figure."""
    if len(reports) < 2 or len({(report.benchmark, report.model) for report in reports}) > 1:
        raise ValueError("a mean over seeds needs two or more reports of one model on one benchmark")
    return replace(
        _of_each_figure(reports, fmean),
        slices={name: mean_over_seeds([report.slices[name] for report in reports]) for name in reports[0].slices},
        seeds=tuple(seed for report in reports for seed in report.seeds),
        deviation=_of_each_figure(reports, stdev),
        gate=reports[0].gate,
        document_tokens=reports[0].document_tokens,
    )


def tables(reports: Sequence[Report], width: int) -> Iterator[Table]:
    """Format the reports of one or more models on one benchmark for the terminal.

    Args:
        reports: The models, in order.
        width: The terminal's width. Measures that do not fit are moved to another table.
    """
    grid = _Grid.of(reports)
    columns = list(zip(grid.header, *grid.rows, strict=True))
    needs = [max(map(len, column)) + 3 for column in columns]
    fit = max(1, (width - 1 - min(sum(needs[:2]), WIDEST_LABELS)) // max(needs[2:]))
    for start in range(2, len(columns), fit):
        drawn = Table(title=reports[0].benchmark)
        shown = [*columns[:2], *columns[start : start + fit]]
        for number, (name, *_) in enumerate(shown):
            drawn.add_column(escape(name), justify="left" if number < 2 else "right", overflow="fold")
        for number, row in enumerate(zip(*(column[1:] for column in shown), strict=True), start=1):
            drawn.add_row(*map(escape, row), end_section=number % len(reports) == 0 and len(reports) > 1)
        yield drawn


def markdown(reports: Sequence[Report]) -> str:
    """Format the reports of one or more models on one benchmark as a Markdown table."""
    return markdown_table(*_Grid.of(reports), labels=2)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], labels: int) -> str:
    """Write a Markdown table whose first columns are labels and whose others are figures, aligned right."""
    rule = [*["---"] * labels, *["---:"] * (len(header) - labels)]
    lines = [[cell.replace("_", r"\_").replace("|", r"\|") for cell in row] for row in (header, *rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in (lines[0], rule, *lines[1:]))


class _Grid(NamedTuple):
    """Table cells: which queries, which model, then one column per measure. Models are listed below each other."""

    header: list[str]
    rows: list[list[str]]

    @classmethod
    def of(cls, reports: Sequence[Report]) -> "_Grid":
        if len(names := {report.benchmark for report in reports}) != 1:
            raise ValueError(f"a table shows one benchmark, not {len(names)}: make one for each")
        parts = [dict(_parts(report)) for report in reports]
        labels = dict.fromkeys(label for part in parts for label in part)
        measures = dict.fromkeys(measure for part in parts for figures, _ in part.values() for measure in figures)
        rows = []
        for label in labels:
            for report, part in zip(reports, parts, strict=True):
                figures, deviation = part.get(label, ({}, {}))
                rows.append([label, report.label, *(_cell(measure, figures, deviation) for measure in measures)])
        return cls(["queries", "model", *measures], rows)


def _parts(report: Report) -> Iterator[tuple[str, tuple[Figures, Figures]]]:
    """Yield each row's label, figures and deviation; with slices, only theirs, because their mean says little."""
    for name, part in report.slices.items():
        yield from ((f"{name}: {label}", row) for label, row in _parts(part))
    if not report.slices:
        yield "all", (report.measures, report.deviation.measures if report.deviation else {})
        for template, figures in report.by_template.items():
            yield template, (figures, report.deviation.by_template[template] if report.deviation else {})


def _cell(measure: str, figures: Figures, deviation: Figures) -> str:
    if measure not in figures:
        return ""
    spread = f" ± {deviation[measure]:.3f}" if measure in deviation else ""
    value = figures[measure]
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}{spread}"


def _of_each_figure(reports: Sequence[Report], statistic: Callable[[list[float]], float]) -> Report:
    def across(several: list[Figures]) -> Figures:
        return {measure: statistic([figures[measure] for figures in several]) for measure in several[0]}

    first = reports[0]
    return Report(
        first.benchmark,
        first.model,
        across([report.measures for report in reports]),
        {name: across([report.by_template[name] for report in reports]) for name in first.by_template},
    )
