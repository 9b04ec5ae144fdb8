"""Print a board as a terminal table, JSON or Markdown."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from boolattn_lab.benchmarks.board import Board, Row
from boolattn_lab.benchmarks.encoding_cost import Cost

HEADER = (
    "",
    "benchmark",
    "queries",
    "count",
    "changed vectors",
    "changed hits",
    "measure",
    "bare",
    "acting",
    "difference",
)
COST_HEADER = ("queries", "count", "encodings per query")


def print_boards(boards: Sequence[Board], form: Literal["table", "markdown", "json"]) -> None:
    """Print the boards of one or more models."""
    if form == "json":
        print(json.dumps({"boards": [as_json(board) for board in boards]}, indent=2))
        return
    console = Console()
    for board in boards:
        sizes = sorted({size for cost in board.cost for size in cost.time_ratios})
        costs = [_cost_cells(cost, sizes) for cost in board.cost]
        cost_header = (*COST_HEADER, *(f"time ratio, batch {size}" for size in sizes))
        if form == "markdown":
            print(f"{board.label}\n\n{_markdown(HEADER, list(_cells(board)))}\n{_markdown(cost_header, costs)}")
        else:
            console.print(_table(board.label, HEADER, list(_cells(board))))
            console.print(_table(f"{board.label}: cost", cost_header, costs))


def as_json(board: Board) -> dict[str, Any]:
    """Return JSON values."""
    return {
        "model": board.model,
        **({} if board.gate is None else {"gate": board.gate}),
        **{section: [_row_as_json(row) for row in rows] for section, rows in board.sections.items()},
        "cost": [
            {
                "queries": cost.kind,
                "count": cost.count,
                "encodings_per_query": cost.encodings,
                "time_ratios": {str(size): ratio for size, ratio in cost.time_ratios.items()},
            }
            for cost in board.cost
        ],
    }


def _row_as_json(row: Row) -> dict[str, Any]:
    return {
        "benchmark": row.benchmark,
        "queries": row.queries,
        "count": row.count,
        "changed_vectors": row.changed,
        "changed_share": row.changed / row.count if row.count else 0.0,
        "changed_hits": row.changed_hits,
        "measures": {
            each.measure: {"bare": each.bare, "acting": each.acting, "difference": each.difference._asdict()}
            for each in row.comparisons
        },
    }


def _cells(board: Board) -> Iterator[list[str]]:
    """Yield a row for each measure; cells that repeat the row above are empty."""
    for section, rows in board.sections.items():
        for row in rows:
            counts = [f"{row.count:,}", f"{row.changed:,}", f"{row.changed_hits:,}"]
            labels = [section, row.benchmark, row.queries, *counts]
            for each in row.comparisons:
                mean, low, high = each.difference
                interval = f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"
                yield [*labels, each.measure, f"{each.bare:.3f}", f"{each.acting:.3f}", interval]
                labels = [""] * len(labels)


def _cost_cells(cost: Cost, sizes: Sequence[int]) -> list[str]:
    encodings = "" if cost.encodings is None else f"{cost.encodings:.2f}"
    return [cost.kind, f"{cost.count:,}", encodings, *(f"{cost.time_ratios[size]:.2f}" for size in sizes)]


def _table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    drawn = Table(title=escape(title))
    for name in header:
        drawn.add_column(name, overflow="fold")
    for row in rows:
        drawn.add_row(*map(escape, row))
    return drawn


def _markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in (header, ["---"] * len(header), *rows))
