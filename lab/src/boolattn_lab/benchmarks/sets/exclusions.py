"""Benchmarks for readers alone: which queries exclude something, and what. They need neither a model nor torch."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import msgspec

from boolattn.reading.reading import Documents
from boolattn_lab.benchmarks.sets.comlq import queries_by_negation
from boolattn_lab.benchmarks.tasks import ExclusionTask
from boolattn_lab.formats.beir import read_beir_queries
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.hashed_labels import LABELS, measures_only, read_requests
from boolattn_lab.formats.jsonl import Filled, read_jsonl
from boolattn_lab.formats.query_labels import QueryLabels, read_query_labels
from boolattn_lab.formats.skipping import SkipBad

LABELLED = ("queries", "firm", "precision", "recall", "f1", "false_alarms", "scope_f1", "scope_exact")
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


def search_boxes(data: DataFolder, documents: Documents) -> ExclusionTask:
    """Queries as people type them into a catalog's box (things), or into that of a wiki or a support site (pages)."""
    rows = read_query_labels(LABELS / "search-boxes.jsonl", data.skip)
    return _over(documents, "search-boxes", rows)


def requests(data: DataFolder, documents: Documents) -> ExclusionTask:
    """Titles of forums in which people ask for things or for pages, all with a cue word."""
    return _over(documents, "requests", read_requests(data))


def shop(data: DataFolder) -> ExclusionTask:
    """Real shop queries with a cue word."""
    return _over("things", "shop", read_query_labels(data.path / "shop" / "labelled.jsonl", data.skip))


def shop_queries(data: DataFolder) -> ExclusionTask:
    """Real shop queries, nearly none of which excludes anything; half of them were never trained on."""
    return _harm("shop-queries", data.path / "shop" / "queries.jsonl.zst", "things", data)


def web_queries(data: DataFolder, documents: Documents) -> ExclusionTask:
    """Real web queries, nearly none of which excludes anything; half of them were never trained on."""
    return _harm(f"web-queries-{documents}", data.path / "web-queries" / "queries.jsonl.zst", documents, data)


def _over(documents: Documents, name: str, rows: Iterable[QueryLabels]) -> ExclusionTask:
    chosen = [row for row in rows if row.documents == documents]
    return ExclusionTask(
        name if name == "shop" else f"{name}-{documents}", chosen, (*LABELLED, "kind_accuracy"), documents=documents
    )


def _harm(name: str, path: Path, documents: Documents, data: DataFolder) -> ExclusionTask:
    """Return the half of some queries that nothing is trained on, doubled in figures per 10,000."""
    queries = dict.fromkeys(row.query for row in read_query_labels(path, data.skip))
    kept = [QueryLabels(query) for query in queries if measures_only(query)]
    return ExclusionTask(name, kept, ("queries", *READ), documents=documents)


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
    "search-boxes-things": partial(search_boxes, documents="things"),
    "search-boxes-pages": partial(search_boxes, documents="pages"),
    "requests-things": partial(requests, documents="things"),
    "requests-pages": partial(requests, documents="pages"),
    "shop": shop,
    "shop-queries": shop_queries,
    "web-queries-things": partial(web_queries, documents="things"),
    "web-queries-pages": partial(web_queries, documents="pages"),
}
