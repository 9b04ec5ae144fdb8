"""Tables of a study, made from its result files alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import NamedTuple

from rich.markup import escape
from rich.table import Table

from boolattn_lab.benchmarks.report import Figures, Report, markdown, markdown_table, mean_over_seeds, tables
from boolattn_lab.benchmarks.significance import Difference, paired_bootstrap, welch_interval
from boolattn_lab.paper.studies.plan import StudyError
from boolattn_lab.paper.studies.results import ALL, Columns, Result, over_seeds

Results = Mapping[str, Sequence[Result]]
"""System -> its results, one per seed."""

# Recall alone does not show whether excluded documents are also found, so violation is shown with it.
SHOWN = ("R@20", "R@50", "R@100", "R@1000", "violation@20", "nDCG@10", "P@20", "MRecall@100")
COMPARED = ("R@100", "nDCG@10", "violation@20")
HEADER, LABELS = ("queries", "system", "measure", "difference", "over queries", "over seeds"), 3


class Compared(NamedTuple):
    """The difference between two systems on a group of queries and one measure.

    The interval of `difference` covers the choice of queries; that of `over_seeds` covers the training seed. If
    either system has only one seed, `over_seeds` is None.
    """

    system: str
    queries: str
    measure: str
    difference: Difference
    over_seeds: Difference | None


def benchmarks_of(results: Results) -> list[str]:
    """Return the benchmarks that any system was evaluated on."""
    return list(dict.fromkeys(name for each in results.values() for result in each for name in result.benchmarks))


def reports(results: Results, benchmark: str) -> list[Report]:
    """Return each system's results on a benchmark, averaged over its seeds."""
    found = []
    for several in results.values():
        by_seed = [_shown(result.benchmarks[benchmark].report) for result in several if benchmark in result.benchmarks]
        if by_seed:
            found.append(mean_over_seeds(by_seed) if len(by_seed) > 1 else by_seed[0])
    return found


def compare(results: Results, benchmark: str, against: str) -> Iterator[Compared]:
    """Compare all systems with one: by paired bootstrap over queries, after averaging over seeds, and over seeds."""
    if against not in results:
        raise StudyError(f"no results for {against!r}; choose from {', '.join(results)}")
    groups = {name: dict(_groups(several, benchmark)) for name, several in results.items()}
    for system, ours in groups.items():
        for label, columns in ours.items() if system != against else ():
            measured = columns[0].values
            for measure in [name for name in COMPARED if name in measured] or measured:
                theirs = groups[against].get(label)
                first = over_seeds(columns, measure)
                if first and theirs:
                    difference = paired_bootstrap(first, over_seeds(theirs, measure))
                    yield Compared(system, label, measure, difference, _over_seeds(columns, theirs, measure))


def _over_seeds(first: Sequence[Columns], second: Sequence[Columns], measure: str) -> Difference | None:
    if min(len(first), len(second)) < 2:
        return None
    return welch_interval(*([fmean(each.of(measure).values()) for each in several] for several in (first, second)))


def laid_out(results: Results, against: str | None, as_markdown: bool, width: int) -> Iterator[Table | str]:
    """Yield for each benchmark its results table and, on request, its table of differences."""
    for benchmark in benchmarks_of(results):
        shown = reports(results, benchmark)
        if as_markdown:
            yield f"**{benchmark}**\n\n{markdown(shown)}"
        else:
            yield from tables(shown, width)
        if against is not None:
            rows = list(compare(results, benchmark, against))
            if rows:
                yield _markdown(rows, against) if as_markdown else _table(rows, f"{benchmark}: {_title(against)}")


def _shown(report: Report) -> Report:
    """Keep only the table's measures, in its order; if a benchmark has none of them, keep all."""

    def chosen(figures: Figures) -> Figures:
        return {measure: figures[measure] for measure in SHOWN if measure in figures} or figures

    return replace(
        report,
        measures=chosen(report.measures),
        by_template={name: chosen(figures) for name, figures in report.by_template.items()},
        slices={name: _shown(part) for name, part in report.slices.items()},
    )


def _groups(several: Sequence[Result], benchmark: str) -> Iterator[tuple[str, list[Columns]]]:
    """Yield named groups of queries: each slice as a whole, then by template; each with the columns of all seeds."""
    measured = [result.benchmarks[benchmark].by_query for result in several if benchmark in result.benchmarks]
    for part, templates in measured[0].items() if measured else ():
        prefix = "" if part == ALL else f"{part}: "
        yield f"{prefix}{ALL}", [_joined(list(by_query[part].values())) for by_query in measured]
        for template in templates if list(templates) != [ALL] else ():
            yield f"{prefix}{template}", [by_query[part][template] for by_query in measured]


def _joined(parts: Sequence[Columns]) -> Columns:
    return Columns(
        [query for part in parts for query in part.queries],
        {measure: [value for part in parts for value in part.values[measure]] for measure in parts[0].values},
    )


def _title(against: str) -> str:
    intervals = "paired bootstrap over queries; Welch's over seeds, n/a if either system has only one"
    return f"Difference from {against} with 95 % intervals: {intervals}"


def _cells(row: Compared) -> list[str]:
    mean = f"{row.difference.mean:+.3f}"
    return [row.queries, row.system, row.measure, mean, _interval(row.difference), _interval(row.over_seeds)]


def _table(rows: Sequence[Compared], title: str) -> Table:
    drawn = Table(title=escape(title))
    for number, name in enumerate(HEADER):
        drawn.add_column(name, justify="left" if number < LABELS else "right", overflow="fold")
    for row in rows:
        drawn.add_row(*map(escape, _cells(row)))
    return drawn


def _markdown(rows: Sequence[Compared], against: str) -> str:
    return f"{_title(against)}:\n\n{markdown_table(HEADER, list(map(_cells, rows)), LABELS)}"


def _interval(difference: Difference | None) -> str:
    return "n/a" if difference is None else f"[{difference.low:+.3f}, {difference.high:+.3f}]"
