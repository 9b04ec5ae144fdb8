"""Everything that the documentation refers to exists."""

import re
import tomllib
from itertools import chain

import pytest

from tests.docs.blocks import PAGES, ROOT, name_of
from tests.docs.references import (
    anchors_of,
    broken_links,
    imports_in,
    missing_paths,
    names_in,
    place_of,
    resolve,
    text_of,
)

PAPER_MAP = text_of(ROOT / "docs/paper-map.md")


def test_paper_map_names_real_tests():
    named = re.findall(r"`([\w/]+/test_\w+\.py)(?:::(\w+))?`", PAPER_MAP)
    assert len(named) > 40
    for path, name in named:
        assert not name or f"def {name}(" in text_of(place_of(path)), f"{path}::{name}"


def test_paper_map_names_real_things():
    named = re.findall(r"`([\w/]+\.py)` ((?:`[\w.]+`(?:, )?)+)", PAPER_MAP)
    assert len(named) > 25
    for path, things in named:
        for thing in re.findall(r"`([\w.]+)`", things):
            name = thing.split(".")[-1]
            assert re.search(rf"(def|class|self\.) ?{name}\b", text_of(place_of(path))), f"{path} {thing}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    assert not broken_links(page)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_paths_lead_somewhere(page):
    assert not missing_paths(page)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_dotted_names_exist(page):
    for name in [*names_in(page, "boolattn"), *imports_in(page, "boolattn")]:
        resolve(name)


@pytest.mark.parametrize("project", ["pyproject.toml", "lab/pyproject.toml"])
def test_every_dependency_is_justified(project):
    found = tomllib.loads(text_of(ROOT / project))["project"]
    stated = chain(found["dependencies"], *found.get("optional-dependencies", {}).values())
    packages = {re.match(r"[\w-]+", each)[0].lower() for each in stated} - {"boolattn"}
    cells = re.findall(r"^\|(?: (?:`[^|]+|-) \|)? ([^|]+) \|", text_of(ROOT / "docs/dependencies.md"), re.MULTILINE)
    justified = {name.lower() for cell in cells for name in re.findall(r"[\w-]+", cell)}
    assert not packages - justified


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_extras_exist(page):
    extras = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]["optional-dependencies"]
    installed = re.findall(r"(?:'|\"|boolattn)(?:\.|boolattn)?\[([a-z,-]+)\](?!\()", text_of(page))
    assert {extra for each in installed for extra in each.split(",")} <= set(extras)
    if page.name == "dependencies.md":
        rows = re.findall(r"^\| ((?:`[a-z-]+`(?:, )?)+) \|", text_of(page), re.MULTILINE)
        assert {extra for row in rows for extra in re.findall(r"[a-z-]+", row)} == set(extras)


def test_what_does_not_exist_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# A `b` c\n[x](page.md#a-b-c) [y](#nothing) [z](nothing.md)\n`tests/nothing.py` `boolattn.nothing`"
    )
    assert broken_links(page) == ["#nothing", "nothing.md#"]
    assert missing_paths(page) == ["tests/nothing.py"]
    assert anchors_of("# A `b` c\n```\n# no\n```\n") == {"a-b-c"}
    with pytest.raises(ModuleNotFoundError):
        resolve(*names_in(page, "boolattn"))
