"""What the pages show is what one gets: every block that shows output is run, unless it is marked."""

import pytest

from tests.docs.blocks import PAGES, ROOT, blocks_of, name_of, require_shown, run_page, to_run

SHOWING = [page for page in PAGES if to_run(page)]


@pytest.mark.parametrize("page", SHOWING, ids=name_of)
def test_the_page_prints_what_it_shows(page, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    run_page(page)


def test_the_pages_that_show_output_are_found():
    names = {name_of(page) for page in SHOWING}
    assert names >= {f"docs/{name}.md" for name in ("quickstart", "existing-index", "limits", "reader")} | {"README.md"}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_block_that_something_else_runs_is_run_there(page):
    for block in blocks_of(page):
        if block.mark.startswith("run by: "):
            test = ROOT / block.mark.removeprefix("run by: ")
            assert f'"{page.stem}.md"' in test.read_text(encoding="utf-8"), f"{test} does not open {page.name}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_readers_see_what_was_not_run(page):
    text = page.read_text(encoding="utf-8")
    assert text.count("<!-- not run: ") == text.count('!!! warning "Not run here"')


def test_output_must_match():
    require_shown("a\n...\nc", "a\nb\nc\n")
    require_shown("...\nc\n...", "c\nd")
    for shown in ("a\nc", "a\n...\nd", "b", "c\n...\na"):
        with pytest.raises(AssertionError):
            require_shown(shown, "a\nb\nc\n")
