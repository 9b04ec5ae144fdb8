"""Print the tables of the fair test: python lab/docs/figures/fair_test.py --data DIR.

Unlike ``study-table``, it separates films by meaning from the genre pairs, which are not held out, and reports R@100
only for queries with at most 100 answers: with more answers, R@100 is low even if all documents found are right.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

from boolattn_lab.benchmarks.report import markdown_table
from boolattn_lab.benchmarks.sets import load_benchmark
from boolattn_lab.benchmarks.sets.generated import GENRE_PAIRS
from boolattn_lab.benchmarks.significance import Difference, welch_interval
from boolattn_lab.benchmarks.tasks import RetrievalTask
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.paper.studies.plan import load_study
from boolattn_lab.paper.studies.results import ALL, KEPT, Columns, Result, read_results
from boolattn_lab.paper.studies.tables import compare

ROOT = Path(__file__).parents[2]
PLAIN, MECHANISM = "plain", "repaired mechanism"
FAIR = "fair test"
FEW = "at most 100 answers"
WITHOUT = "without operators"
# The groups of queries and their measures. P@20 is not stored per query, so it has no differences.
MEASURES = {
    "films, meaning": ("nDCG@10", "violation@20"),
    f"films, meaning, {FEW}": ("R@100",),
    "films, genre pairs": ("P@20", "violation@20"),
    "films, names": ("nDCG@10", "violation@20"),
    f"films, names, {FEW}": ("R@100",),
    "debian": ("nDCG@10", "violation@20"),
    f"debian, {FEW}": ("R@100",),
    f"films, meaning, {WITHOUT}": ("nDCG@10",),
    f"films, names, {WITHOUT}": ("nDCG@10",),
    f"debian, {WITHOUT}": ("nDCG@10",),
}
PERFECT = f"films, meaning, {WITHOUT}", "MRecall@100"  # has no values per query, so only an interval over seeds


def main() -> None:
    """Print every table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "fair-study")
    arguments = parser.parse_args()
    names = [system.name for system in load_study(ROOT / "recipes" / "fair-study.toml").systems]
    stored = read_results(arguments.out, names)
    if missing := {PLAIN, MECHANISM} - stored.keys():
        raise SystemExit(f"{arguments.out} has no results of {' and '.join(sorted(missing))}: run the study first")
    groups: dict[str, set[str]] = {}
    for name in ("films", "debian"):
        groups |= _groups_of(load_benchmark(name, DataFolder(arguments.data)))
    results = {name: [_regrouped(result, groups) for result in several] for name, several in stored.items()}
    untrained = {"untrained": [_regrouped(Result.read(ROOT / "results" / "bare.json"), groups)]}
    _print_training(results)
    without = [group for group in MEASURES if WITHOUT in group]
    by_meaning = [
        group for group in MEASURES if group.startswith(("films, meaning", "films, genre")) and group not in without
    ]
    _print_runs(untrained | results, by_meaning)
    _print_runs(untrained | results, [group for group in MEASURES if group not in (*by_meaning, *without)])
    _print_runs(untrained | results, without, ("AP", "MRecall@100"))
    for group in MEASURES:
        columns = results[PLAIN][0].benchmarks[FAIR].by_query[group][ALL]
        print(f"{group}: {len(columns.queries)} queries, {len(columns.of('violation@20'))} of which exclude something")
    _print_differences(results)


def _groups_of(task: RetrievalTask) -> dict[str, set[str]]:
    """Return group -> its queries."""
    groups: dict[str, set[str]] = {}
    for query in task.queries:
        label = f"{task.name}, {task.slice_of[query]}" if task.slice_of else task.name
        if task.template_of[query] == GENRE_PAIRS:
            groups.setdefault("films, genre pairs", set()).add(query)
            continue
        groups.setdefault(label, set()).add(query)
        if len(task.answers[query]) <= 100:
            groups.setdefault(f"{label}, {FEW}", set()).add(query)
        if not task.operators[query]:
            groups.setdefault(f"{label}, {WITHOUT}", set()).add(query)
    return groups


def _regrouped(result: Result, groups: Mapping[str, set[str]]) -> Result:
    """Return a result with one more benchmark, whose slices are the groups of this page."""
    by_query = {}
    for label, queries in groups.items():
        by_template = result.benchmarks[label.partition(",")[0]].by_query.values()
        by_query[label] = {ALL: _joined([each for columns in by_template for each in columns.values()], queries)}
    films = result.benchmarks["films"]
    return replace(result, benchmarks=result.benchmarks | {FAIR: replace(films, by_query=by_query)})


def _joined(stored: Sequence[Columns], queries: set[str]) -> Columns:
    kept = [(each, place) for each in stored for place, query in enumerate(each.queries) if query in queries]
    values = {name: [each.values[name][place] for each, place in kept] for name in stored[0].values}
    return Columns([each.queries[place] for each, place in kept], values)


def _value(result: Result, group: str, measure: str) -> float:
    if measure not in KEPT:  # not stored per query, but for each template
        benchmark, _, part = group.removesuffix(f", {WITHOUT}").partition(", ")
        report = result.benchmarks[benchmark].report
        if group == "films, genre pairs":
            return report.slices["meaning"].by_template[GENRE_PAIRS][measure]
        return (report.slices[part] if part else report).by_template["_"][measure]
    return fmean(result.benchmarks[FAIR].by_query[group][ALL].of(measure).values())


def _print_training(results: Mapping[str, Sequence[Result]]) -> None:
    rows = [
        [name, str(result.seed), str(best["step"]), f"{best['value']:.3f}"]
        for name, several in results.items()
        for result in several
        for best in [result.stages[-1]["best"]]
    ]
    print(markdown_table(["", "seed", "kept step", "validation R@100"], rows, 1), "\n")


def _print_runs(results: Mapping[str, Sequence[Result]], groups: Sequence[str], more: Sequence[str] = ()) -> None:
    shown = [(group, measure) for group in groups for measure in (*MEASURES[group], *more)]
    rows = []
    for name, several in results.items():
        for result in several:
            seed = "" if result.seed is None else str(result.seed)
            rows.append([name, seed, *(f"{_value(result, *each):.3f}" for each in shown)])
        if len(several) > 1:
            columns = [[_value(result, *each) for result in several] for each in shown]
            rows.append([f"{name}, mean", "", *(f"{fmean(each):.3f} ± {stdev(each):.3f}" for each in columns)])
    header = ["", "seed", *(f"{group}: {measure}" for group, measure in shown)]
    print(markdown_table(header, rows, 1), "\n")


def _print_differences(results: Mapping[str, Sequence[Result]]) -> None:
    rows = []
    for _, group, measure, difference, over_seeds in _differences({name: results[name] for name in (PLAIN, MECHANISM)}):
        rows.append([group, measure, f"{difference.mean:+.3f}", _interval(difference), _interval(over_seeds)])
    print(f"\n{MECHANISM} minus {PLAIN}:\n")
    print(markdown_table(["", "measure", "difference", "over queries", "over seeds"], rows, 2), "\n")
    perfect = [[_value(each, *PERFECT) for each in results[name]] for name in (MECHANISM, PLAIN)]
    if min(map(len, perfect)) > 1:
        over_seeds = welch_interval(*perfect)
        print(f"{': '.join(PERFECT)}, over seeds: {over_seeds.mean:+.3f} {_interval(over_seeds)}\n")
    first = {name: several[:1] for name, several in results.items() if several[0].seed == 0}
    others = [name for name in first if name not in (PLAIN, MECHANISM)]
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for system, group, measure, difference, _ in _differences(first):
        cells.setdefault((group, measure), {})[system] = f"{difference.mean:+.3f} {_interval(difference)}"
    print(f"minus {PLAIN}, seed 0:\n")
    rows = [[*key, *(found[name] for name in others)] for key, found in cells.items()]
    print(markdown_table(["", "measure", *others], rows, 2), "\n")


def _differences(
    results: Mapping[str, Sequence[Result]],
) -> Iterator[tuple[str, str, str, Difference, Difference | None]]:
    found = {
        (row.system, row.queries.removesuffix(f": {ALL}"), row.measure): row for row in compare(results, FAIR, PLAIN)
    }
    for system in dict.fromkeys(system for system, _, _ in found):
        for group, measure in [(group, each) for group, several in MEASURES.items() for each in several]:
            if measure in KEPT:
                row = found[system, group, measure]
                yield system, group, measure, row.difference, row.over_seeds


def _interval(difference: Difference | None) -> str:
    return "n/a" if difference is None else f"[{difference.low:+.3f}, {difference.high:+.3f}]"


if __name__ == "__main__":
    main()
