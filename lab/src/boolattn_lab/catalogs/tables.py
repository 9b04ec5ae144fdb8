"""Catalog rows from a user's own CSV or JSONL file."""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from boolattn_lab.catalogs.catalog import Row


def read_csv_rows(path: str | Path, id_column: str, columns: Sequence[str], separator: str = "|") -> Iterator[Row]:
    """Yield catalog rows from a CSV file with a header.

    Args:
        path: The file, UTF-8.
        id_column: The column with each entity's ID.
        columns: The attribute columns.
        separator: Separates the values inside a cell.
    """
    with Path(path).open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines, strict=True)
        for name in (id_column, *columns):
            if name not in (reader.fieldnames or ()):
                found = ", ".join(reader.fieldnames or ())
                raise ValueError(f"{path}: no column {name!r} in the header, which has: {found}")
        for row in reader:
            for name in (id_column, *columns):
                if row[name] is None:
                    raise ValueError(f"{path}, line {reader.line_num}, field {name!r}: the line ends before it")
            values = {name: [value.strip() for value in row[name].split(separator)] for name in columns}
            yield row[id_column], {name: [value for value in cell if value] for name, cell in values.items()}


def read_jsonl_rows(path: str | Path, id_column: str, columns: Sequence[str]) -> Iterator[Row]:
    """Yield catalog rows from a file with one JSON object per line.

    Args:
        path: The file, UTF-8.
        id_column: The field with each entity's ID.
        columns: The attribute fields: lists of texts or numbers, a single one, or absent.
    """
    with Path(path).open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if line.isspace():
                continue
            where = f"{path}, line {number}"
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise ValueError(f"{where}: not JSON ({error})") from error
            if not isinstance(row, dict) or id_column not in row:
                raise ValueError(f"{where}, field {id_column!r}: missing; each line must be an object that has it")
            yield str(row[id_column]), {name: _as_values(row.get(name), f"{where}, field {name!r}") for name in columns}


def _as_values(cell: Any, where: str) -> list[str]:
    values = cell if isinstance(cell, list) else [] if cell is None else [cell]
    for value in values:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError(f"{where}: expected a list of texts or numbers, found {value!r}")
    return [str(value) for value in values]
