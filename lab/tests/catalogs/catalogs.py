"""The invented catalogs of the tests."""

import json
from functools import cache
from pathlib import Path

from boolattn_lab.catalogs.atoms import Column, Phrases
from boolattn_lab.catalogs.catalog import Catalog, build_catalog
from boolattn_lab.catalogs.debian import debian_catalog
from boolattn_lab.catalogs.films import films_catalog
from boolattn_lab.catalogs.tables import read_csv_rows, read_jsonl_rows

FOLDER = Path(__file__).parent / "fixtures" / "catalogs"


def plain_column(name: str, in_slice: str = "meaning") -> Column:
    """Describe a column by its name alone: "items with colour red", "items whose colour is red"."""
    label = name.replace("_", " ")
    return Column(
        name,
        Phrases(
            noun=(f"{{head}} with {label} {{value}}", f"{{head}} whose {label} is {{value}}"),
            core=(f"{{head}} with {label} {{value}}",),
            open=(f"{{head}} with {label} {{value}}",),
            tail=("{value}",),
            post=(f"with {label} {{value}}", f"whose {label} is {{value}}"),
            do=(f"have {label} {{value}}",),
        ),
        in_slice,
    )


def jsonl(name: str) -> list[dict]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


@cache
def films() -> Catalog:
    return films_catalog(jsonl("films.jsonl"))


@cache
def packages() -> Catalog:
    return debian_catalog(jsonl("packages.jsonl"), jsonl("tags.jsonl"))


@cache
def birds() -> Catalog:
    names = ("habitat", "eats", "clutch")
    rows = read_jsonl_rows(FOLDER / "birds.jsonl", "name", names)
    return build_catalog(rows, [plain_column(name) for name in names], ("birds",))


@cache
def meals() -> Catalog:
    names = ("cuisine", "diet", "cooked_by")
    rows = read_csv_rows(FOLDER / "meals.csv", "id", names)
    return build_catalog(rows, [plain_column(name) for name in names], ("meals", "dishes"))


CATALOGS = {"films": films, "packages": packages, "birds": birds, "meals": meals}
