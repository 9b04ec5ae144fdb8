"""Print the comparison as a terminal table or JSON."""

import json
from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from boolattn_lab.benchmarks.operators_harm.overlap import Overlap


def print_overlaps(model: str, documents: int, found: Mapping[str, Mapping[str, Overlap]], as_json: bool) -> None:
    """Print way of searching -> source -> overlap."""
    if as_json:
        ways = {way: {source: each._asdict() for source, each in rows.items()} for way, rows in found.items()}
        print(
            json.dumps({"benchmark": "operators-harm", "model": model, "documents": documents, "ways": ways}, indent=2)
        )
        return
    title = f"a whole search beside a plain one, {model}, {documents:,} introductions, first 10 hits"
    table = Table(
        "search", "queries from", "number", "overlap", "changed", "other hits", "other first hit", title=title
    )
    for way, rows in found.items():
        for source, each in rows.items():
            shares = (f"{share:.1%}" for share in (each.changed, each.other_hits, each.other_first))
            table.add_row(way, source, str(each.queries), f"{each.overlap:.3f}", *shares)
    Console().print(table)
