"""The pages of the laboratory show what one gets, and everything that a page says of the laboratory exists."""

import re

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from typer.main import get_command

import boolattn.cli
from boolattn import ReadingOptions
from boolattn.backbones.retrieval_model import ModelWithEncoder
from boolattn_lab.benchmarks.sets import BENCHMARKS
from boolattn_lab.benchmarks.sets.exclusions import READER_BENCHMARKS
from boolattn_lab.benchmarks.systems import BooleanRetriever
from boolattn_lab.cli import app
from tests.docs.blocks import PAGES, ROOT, blocks_of, name_of, run_page, to_run
from tests.docs.references import (
    broken_links,
    commands_of,
    imports_in,
    missing_paths,
    names_in,
    require_command,
    resolve,
    text_of,
)
from tests.docs.test_extend import QUERY, follow

OWN = [ROOT / "lab/README.md", *sorted((ROOT / "lab/docs").glob("*.md"))]
ALL = [*PAGES, *OWN]
PROGRAMS = {"boolattn": get_command(boolattn.cli.app), "boolattn-lab": get_command(app)}
NAMES = {*BENCHMARKS, *READER_BENCHMARKS, "board", "reading"}
SHOWING = [page for page in OWN if to_run(page)]


@pytest.mark.parametrize("page", OWN, ids=name_of)
def test_links_lead_somewhere(page):
    assert not broken_links(page)


@pytest.mark.parametrize("page", OWN, ids=name_of)
def test_paths_lead_somewhere(page):
    assert not missing_paths(page)


@pytest.mark.parametrize("page", ALL, ids=name_of)
def test_dotted_names_exist(page):
    for package in ("boolattn", "boolattn_lab"):
        for name in [*names_in(page, package), *imports_in(page, package)]:
            resolve(name)


@pytest.mark.parametrize("page", ALL, ids=name_of)
def test_the_commands_of_a_page_exist(page):
    for shown in commands_of(text_of(page)):
        require_known(shown)


def require_known(shown):
    """Raise unless a command, its options and the benchmark that it names exist."""
    words = require_command(shown, PROGRAMS[shown.split()[0]])
    if shown.startswith("boolattn-lab evaluate ") and words[0].islower():
        assert words[0] in NAMES, f"{shown!r}: no benchmark {words[0]!r}"


def test_the_commands_of_the_pages_are_found():
    shown = [each for page in ALL for each in commands_of(text_of(page))]
    assert sum(each.startswith("boolattn-lab ") for each in shown) > 80


@pytest.mark.parametrize(
    "shown", ["boolattn-lab bench nothing", "boolattn-lab study x --nothing", "boolattn-lab evaluate nothing"]
)
def test_a_command_that_does_not_exist_is_noticed(shown):
    with pytest.raises(AssertionError, match=r"no (command|option|benchmark)"):
        require_known(shown)


@pytest.mark.parametrize("page", SHOWING, ids=name_of)
def test_the_page_prints_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(page)


def test_the_page_that_shows_output_is_found():
    assert ROOT / "lab/docs/evaluate.md" in SHOWING


@pytest.mark.parametrize("page", OWN, ids=name_of)
def test_a_block_that_something_else_runs_is_run_there(page):
    for block in blocks_of(page):
        if block.mark:
            test = ROOT / block.mark.removeprefix("run by: ")
            assert f"{page.stem}.md" in text_of(test), f"{test} does not open {page.name}"


def test_every_recipe_and_study_is_named_in_a_page():
    named = {name for page in ALL for name in re.findall(r"`(?:lab/recipes/)?([\w-]+)(?:\.toml)?`", text_of(page))}
    assert {path.stem for path in (ROOT / "lab/recipes").glob("*.toml")} <= named


def test_the_number_of_benchmarks_is_right():
    assert f"{len(BENCHMARKS)} benchmarks (`lab/docs/benchmarks.md`)" in text_of(ROOT / "docs/features.md")


def test_an_added_query_encoder_is_measured_like_any_other_model(minilm_folder):
    plain, wanted_only = SentenceTransformer(str(minilm_folder)), follow("Add a query encoder")["WantedOnly"]
    model = ModelWithEncoder(plain, wanted_only, ReadingOptions(reader="rules"))
    retriever = BooleanRetriever("wanted-only", model, progress=False)
    expected = plain.encode_query("movies set in Vietnam")
    assert np.allclose(retriever.query_vectors([QUERY])[0], expected, atol=1e-6)
    assert [span.of(QUERY) for span in retriever.negation(QUERY)[1]] == ["war"]
