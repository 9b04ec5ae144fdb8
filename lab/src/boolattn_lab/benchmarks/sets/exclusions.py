"""Benchmarks for readers alone: which queries exclude something, and what. They need neither a model nor torch."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from boolattn_lab.benchmarks.sets.comlq import queries_by_negation
from boolattn_lab.benchmarks.tasks import ExclusionTask
from boolattn_lab.formats.beir import read_beir_queries
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.jsonl import Filled, read_jsonl
from boolattn_lab.formats.query_labels import QueryLabels, read_query_labels
from boolattn_lab.formats.skipping import SkipBad

LABELLED = ("queries", "firm", "precision", "recall", "f1", "false_alarms", "scope_f1")
READ = ("read", "read_per_10000")


class _LanguageRow(msgspec.Struct):
    query: Filled
    language: Filled


class _PairRow(msgspec.Struct):
    query: Filled


def from_file(path: Path, skip: SkipBad | None = None) -> ExclusionTask:
    """Use the user's own queries, labelled or not."""
    return ExclusionTask("reading", list(read_query_labels(path, skip)), (*LABELLED, "kind_accuracy", *READ))


def real_queries(data: DataFolder) -> ExclusionTask:
    """Real queries as people typed them, some labelled by hand.

    The labelled ones were selected for their cue-like words. An equal number from the same selection is not in the
    folder, so each counts twice in estimated rates.
    """
    folder = data.path / "real-queries"
    labelled = list(read_query_labels(folder / "labelled.jsonl", data.skip))
    known = {each.query for each in labelled}
    others = [each for each in read_query_labels(folder / "queries.jsonl.zst", data.skip) if each.query not in known]
    return ExclusionTask(
        "real-queries",
        [*labelled, *others],
        (*LABELLED, *READ, "false_alarms_per_10000"),
        ["labelled"] * len(labelled) + ["not labelled"] * len(others),
        weight_of={"labelled": 2},
    )


def real_wordings(data: DataFolder) -> ExclusionTask:
    """Realistic queries written by hand, half with an exclusion."""
    queries = list(read_query_labels(data.path / "real-wordings" / "dev.jsonl", data.skip))
    return ExclusionTask("real-wordings", queries, LABELLED)


def kinds(data: DataFolder) -> ExclusionTask:
    """Realistic queries that exclude a topic, a property or nothing."""
    queries = list(read_query_labels(data.path / "kinds" / "train.jsonl", data.skip))
    return ExclusionTask("kinds", queries, (*LABELLED, "kind_accuracy"))


def other_languages(data: DataFolder) -> ExclusionTask:
    """Questions in languages other than English, which an English reader must not change."""
    rows = list(read_jsonl(data.path / "other-languages" / "queries.jsonl", _LanguageRow, data.skip))
    return ExclusionTask(
        "other-languages", [QueryLabels(row.query) for row in rows], ("queries", *READ), [row.language for row in rows]
    )


def comlq(data: DataFolder) -> ExclusionTask:
    """ComLQ's test half: its negations are properties, which are not applied over pages."""
    groups = queries_by_negation(data, "odd")
    return ExclusionTask(
        "comlq-reading",
        [QueryLabels(query.text) for query in groups],
        ("queries", "read", "share_read"),
        list(groups.values()),
    )


def excluir(data: DataFolder) -> ExclusionTask:
    """ExcluIR's queries that are not used for training: all of them exclude something."""
    rows = read_jsonl(data.path / "excluir-pairs" / "pairs_1000.jsonl", _PairRow, data.skip)
    return _all_exclude("excluir-reading", [row.query for row in rows])


def negconstraint(data: DataFolder) -> ExclusionTask:
    """NegConstraint's queries: all of them exclude something."""
    queries = read_beir_queries(data.path / "negconstraint", data.skip)
    return _all_exclude("negconstraint-reading", [query.text for query in queries])


def _all_exclude(name: str, queries: list[str]) -> ExclusionTask:
    return ExclusionTask(name, [QueryLabels(query) for query in queries], ("queries", "recall"), all_exclude=True)


READER_BENCHMARKS: dict[str, Callable[[DataFolder], ExclusionTask]] = {
    "real-queries": real_queries,
    "real-wordings": real_wordings,
    "kinds": kinds,
    "other-languages": other_languages,
    "comlq-reading": comlq,
    "excluir-reading": excluir,
    "negconstraint-reading": negconstraint,
}
