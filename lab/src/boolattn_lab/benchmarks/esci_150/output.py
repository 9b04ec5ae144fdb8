"""Print the comparison as a terminal table, Markdown or JSON."""

import json
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from rich.console import Console
from rich.table import Table

from boolattn_lab.benchmarks.esci_150.ways import WAYS, Figures
from boolattn_lab.benchmarks.report import markdown_table
from boolattn_lab.benchmarks.significance import Difference

Compared: TypeAlias = Mapping[str, Mapping[str, Figures]]
"""Way of searching -> slice -> figures."""


def print_ways(model: str, found: Compared, form: Literal["table", "markdown", "json"]) -> None:
    """Print what ``compare_ways`` returns."""
    if form == "json":
        print(json.dumps(_as_json(model, found), indent=2))
    elif form == "markdown":
        print(markdown_table(_header(found), list(_rows(found)), labels=1), end="")
    else:
        table = Table(*_header(found), title=f"esci-150, {model}: nDCG@10, differences with 95 % intervals")
        for row in _rows(found):
            table.add_row(*row)
        Console().print(table)


def _as_json(model: str, found: Compared) -> dict[str, object]:
    ways = {
        way: {
            part: {
                "queries": each.queries,
                "nDCG@10": each.quality,
                "difference": {"plain": each.from_plain._asdict(), WAYS[way].base: each.from_base._asdict()},
                "changed": each.changed,
            }
            for part, each in by_part.items()
        }
        for way, by_part in found.items()
    }
    return {"benchmark": "esci-150", "model": model, "ways": ways}


def _header(found: Compared) -> list[str]:
    counts = {part: each.queries for part, each in found["plain"].items()}
    names = ((f"{count} {part}", "from plain", "from hybrid plain", "changed") for part, count in counts.items())
    return ["", *(name for each in names for name in each)]


def _rows(found: Compared) -> Iterator[list[str]]:
    for way, by_part in found.items():
        row = [way]
        for each in by_part.values():
            own = _shown(each.from_base) if WAYS[way].base != "plain" else ""
            plain = _shown(each.from_plain) if way != "plain" else ""
            row += [f"{each.quality:.3f}", plain, own, str(each.changed) if way != "plain" else ""]
        yield row


def _shown(difference: Difference) -> str:
    mean, low, high = difference
    return f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"
