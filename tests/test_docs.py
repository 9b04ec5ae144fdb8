"""Everything that the documentation refers to exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_paper_map_names_real_files_tests_and_things():
    text = (ROOT / "docs/paper-map.md").read_text(encoding="utf-8")
    folders = "paper|properties|attention|encoders|training"
    for path, name in re.findall(rf"`((?:{folders})/test_\w+\.py)(?:::(\w+))?`", text):
        source = (ROOT / "tests" / path).read_text(encoding="utf-8")
        assert not name or f"def {name}(" in source, f"{path}::{name}"
    named = re.findall(r"`((?:attention|encoders|training)/(?!test_)\w+\.py)` ((?:`[\w.]+`(?:, )?)+)", text)
    assert len(named) > 15
    for path, things in named:
        source = (ROOT / "src/boolattn" / path).read_text(encoding="utf-8")
        for thing in re.findall(r"`([\w.]+)`", things):
            assert re.search(rf"(def|class|self\.) ?{thing.split('.')[-1]}\b", source), f"{path} {thing}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
