"""Rows from a user's own files."""

import csv
import json

import pytest
from lab.tests.catalogs.catalogs import FOLDER, birds, meals

from boolattn_lab.catalogs.tables import read_csv_rows, read_jsonl_rows


def test_csv_cells_contain_lists():
    rows = list(read_csv_rows(FOLDER / "meals.csv", "id", ["diet", "cooked_by"]))
    assert len(rows) == 80
    assert rows[0] == ("meal-0", {"diet": ["low salt", "halal", "kosher"], "cooked_by": ["grilling"]})
    assert rows[1][1]["cooked_by"] == ["grilling", "raw or nearly raw serving"], "spaces round the separator go"
    with (FOLDER / "meals.csv").open(encoding="utf-8", newline="") as lines:
        vegan = [row["id"] for row in csv.DictReader(lines) if "vegan" in row["diet"].split("|")]
    assert list(meals().ids_of(meals().answers(meals().atom("diet", "vegan")))) == vegan


def test_an_empty_cell_has_no_values(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("\ufeffid;x,tags\n1,\n2,a;;b\n", encoding="utf-8")
    assert list(read_csv_rows(path, "id;x", ["tags"], separator=";")) == [
        ("1", {"tags": []}),
        ("2", {"tags": ["a", "b"]}),
    ]


def test_jsonl_fields_contain_lists_single_values_or_nothing():
    rows = list(read_jsonl_rows(FOLDER / "birds.jsonl", "name", ["eats", "clutch"]))
    assert rows[:2] == [
        ("bird 0", {"eats": ["seeds", "fish"], "clutch": []}),
        ("bird 1", {"eats": ["insects"], "clutch": ["3"]}),
    ]
    raw = [json.loads(line) for line in (FOLDER / "birds.jsonl").read_text(encoding="utf-8").splitlines()]
    threes = [row["name"] for row in raw if row.get("clutch") == 3]
    assert list(birds().ids_of(birds().answers(birds().atom("clutch", "3")))) == threes


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("t.csv", "id,tags\n1,a\n", "no column 'colour' in the header, which has: id, tags"),
        ("t.csv", "id,colour\n1,a\n2\n", "line 3, field 'colour': the line ends before it"),
        ("t.jsonl", '{"id": 1}\n{"id"\n', "line 2: not JSON"),
        ("t.jsonl", '\n{"colour": []}\n', "line 2, field 'id': missing"),
        ("t.jsonl", '{"id": 1, "colour": [{"a": 1}]}\n', "line 1, field 'colour': expected a list of texts or numbers"),
    ],
)
def test_a_bad_row_is_named(tmp_path, name, text, problem):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    read = read_csv_rows if name.endswith("csv") else read_jsonl_rows
    with pytest.raises(ValueError, match=problem) as error:
        list(read(path, "id", ["colour"]))
    assert str(path) in str(error.value)
