"""The overhead benchmark runs, and its JSON has the promised shape."""

import json

from typer.testing import CliRunner

from boolattn_lab.cli import app
from boolattn_lab.costs import overhead


def test_json_has_the_promised_rows(monkeypatch):
    monkeypatch.setattr(overhead, "FEWEST_ROUNDS", 9)
    monkeypatch.setattr(overhead, "cells", lambda shapes, compiled: [overhead.Cell("sdpa", False, 1, 16)])
    result = CliRunner().invoke(app, ["bench", "overhead", "--seconds", "0", "--threads", "1", "--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert {(row["variant"], row["gates"]) for row in rows} == {
        ("paper", "open"),
        ("paper", "closed"),
        ("light", "open"),
        ("light", "closed"),
    }
    assert {(row["attention"], row["batch"], row["tokens"], row["threads"]) for row in rows} == {("sdpa", 1, 16, 1)}
    assert all(0.2 < row["ratio"] < 5 for row in rows)


def test_every_promised_cell_is_measured():
    plain = {(cell.attention, cell.batch, cell.tokens) for cell in overhead.cells()}
    assert plain == {(a, b, t) for a in ("eager", "sdpa") for b in (1, 32) for t in (16, 64)}
    compiled = [cell for cell in overhead.cells([(2, 8)], compiled=True) if cell.compiled]
    assert compiled == [overhead.Cell("sdpa", True, 2, 8)]


def test_a_shape_must_be_two_numbers():
    result = CliRunner().invoke(app, ["bench", "overhead", "--shape", "big"])
    assert result.exit_code == 2
    assert "32x64" in result.output
