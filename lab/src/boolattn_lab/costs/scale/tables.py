"""The results as tables: title, columns, rows of text."""

from collections.abc import Mapping
from typing import Any

from boolattn_lab.costs.scale.results import Result, Results

Table = tuple[str, list[str], list[list[str]]]
ENGINES, KINDS = ("lance", "milvus"), ("plain", "signed")


def tables(results: Results) -> list[Table]:
    """Return everything that was measured."""
    found = [_encoding(results), _quantisation(results), _ray(results)]
    found += [_builds(results), _searches(results), _candidates(results), _ivf_pq(results)]
    return [table for table in found if table[2]]


def _encoding(results: Results) -> Table:
    rows = [row for each in results.named("encoding") for row in each["rows"]]
    lengths = sorted({row["tokens"] for row in rows})
    rate = {(row["backend"], row["tokens"]): row["documents_per_second"] for row in rows}
    names = dict.fromkeys(row["backend"] for row in rows)
    return (
        "documents encoded per second, one core (measured)",
        ["backend", *(f"{tokens} tokens" for tokens in lengths)],
        [[name, *(f"{rate[name, tokens]:.1f}" for tokens in lengths)] for name in names],
    )


def _quantisation(results: Results) -> Table:
    rows = [
        [
            f"{each['vectors']:,}",
            row["form"],
            str(row["bytes"]),
            "" if row["rescored"] == 1 else f"{row['rescored']} x 100",
        ]
        + [f"{row['recall'][kind]:.4f}" for kind in KINDS]
        for each in results.named("quantisation")
        for row in each["rows"]
    ]
    columns = ["vectors", "form", "bytes", "rescored", "plain R@100", "signed R@100"]
    return "bytes per vector and recall against float32, every vector compared (measured)", columns, rows


def _ray(results: Results) -> Table:
    names = ("documents", "shards", "seconds", "seconds_after_the_kill", "seconds_in_one_process", "identical")
    rows = [[_text(each[name]) for name in names] for each in results.named("ray")]
    return "two Ray nodes, one killed (measured)", [name.replace("_", " ") for name in names], rows


def _builds(results: Results) -> Table:
    names = ["write_seconds", "bare_write_seconds", "index_seconds", "build_cpu_seconds"]
    names += ["disk_mb", "index_mb", "memory_mb", "peak_mb"]
    rows = [
        [*_what(each), *(_text(each[name]) if name in each else "" for name in names), _load(each)]
        for each in _engines(results)
    ]
    columns = ["engine", "vectors", "real", *(name.replace("_", " ") for name in names), "load"]
    return "building (measured)", columns, rows


def _searches(results: Results) -> Table:
    rows = []
    for each in _engines(results):
        for name in ("none", "10 %", "1 %"):
            for kind in KINDS:
                one = each["searches"][kind][name]
                row = [*_what(each), name, kind, f"{one['recall']:.4f}", f"{one['p50_ms']:.1f}", f"{one['p99_ms']:.1f}"]
                bare = one.get("bare")
                row += (
                    [f"{bare['p50_ms']:.1f}", f"{bare['p99_ms']:.1f}", f"{one['p50_over_bare']:.2f}"]
                    if bare
                    else [""] * 3
                )
                both = [f"{each['queries_per_second']:.0f}", f"{each['query_cpu_ms']:.1f}"]
                rows.append(row + (both if name == "none" else ["", ""]))
    columns = ["engine", "vectors", "real", "filter", "query", "R@100", "p50 ms", "p99 ms"]
    return "searching for 100 (measured)", [*columns, "bare p50", "bare p99", "p50 / bare", "q/s", "CPU ms"], rows


def _candidates(results: Results) -> Table:
    figures = {"recall": ("R@100", ".4f"), "p50_ms": ("p50 ms", ".1f"), "cpu_ms": ("CPU ms", ".1f")}
    rows = [
        [
            *_what(each),
            candidates,
            *(f"{one[kind][name]:{form}}" for name, (_, form) in figures.items() for kind in KINDS),
        ]
        for each in _engines(results)
        for candidates, one in each["candidates"].items()
    ]
    columns = ["engine", "vectors", "real", "candidates"]
    columns += [f"{kind} {title}" for title, _ in figures.values() for kind in KINDS]
    return "candidates of the graph search (measured)", columns, rows


def _ivf_pq(results: Results) -> Table:
    rows = [
        [*_what(each)[1:], str(each["partitions"]), probes, f"{each['index_seconds']:.0f}", f"{each['index_mb']:.0f}"]
        + [f"{one[kind][figure]:{form}}" for figure, form in (("recall", ".4f"), ("p50_ms", ".1f")) for kind in one]
        for each in sorted(results.named("ivf-pq"), key=lambda each: (each["vectors"], each["real"]))
        for probes, one in each["probes"].items()
    ]
    columns = ["vectors", "real", "partitions", "probes", "build s", "index MB"]
    columns += ["plain R@100", "signed R@100", "plain p50 ms", "signed p50 ms"]
    return "LanceDB's IVF_PQ (measured)", columns, rows


def _engines(results: Results) -> list[Result]:
    found = [each for engine in ENGINES for each in results.named(f"{engine}-")]
    return sorted(found, key=lambda each: (each["engine"], each["vectors"], each["real"]))


def _what(result: Mapping[str, Any]) -> list[str]:
    return [str(result.get("engine", "")), f"{result['vectors']:,}", f"{result['real']:,}"]


def _load(result: Mapping[str, Any]) -> str:
    return f"{result['load']['before']} to {result['load']['after']}"


def _text(value: Any) -> str:
    return f"{value:,.1f}" if isinstance(value, float) else str(value)
