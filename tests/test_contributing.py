"""CONTRIBUTING.md: the pictures show the enforced layers, and the benchmark shown is what the files contain."""

import re
import tomllib

import pytest

from tests.docs.blocks import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PACKAGES = {"boolattn": ROOT / "src/boolattn", "boolattn_lab": ROOT / "lab/src/boolattn_lab"}
PICTURES = dict(zip(PACKAGES, re.findall(r"^```\n(cli .*?)^```", PAGE, re.MULTILINE | re.DOTALL), strict=True))


def drawn(package):
    """Return the layers in a package's picture, from top to bottom."""
    return [set(re.split(r"\s{4,}", line)[0].split()) for line in PICTURES[package].splitlines()]


def section(heading):
    """Return what is written under a heading."""
    return re.split(r"^## ", PAGE.split(f"## {heading}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]


def test_it_is_short():
    assert len(PAGE.splitlines()) <= 120


@pytest.mark.parametrize("package", PACKAGES)
def test_the_picture_shows_every_folder(package):
    folders = {path.parent.name for path in PACKAGES[package].glob("*/__init__.py")}
    assert set.union(*drawn(package)) - {"operators"} == folders


@pytest.mark.parametrize("package", PACKAGES)
def test_the_picture_shows_the_layers_that_are_enforced(package):
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = [
        each["layers"] for each in contracts if each["type"] == "layers" and f"{package}.cli" in each["layers"]
    ]
    assert drawn(package) == [set(re.findall(rf"{package}\.(\w+)", layer)) for layer in layers]


def test_every_folder_has_its_tests():
    for package, tests in (("boolattn", ROOT / "tests"), ("boolattn_lab", ROOT / "lab/tests")):
        for folder in set.union(*drawn(package)) - {"operators"}:
            assert any((tests / folder).rglob("test_*.py")), tests / folder


def test_the_benchmark_that_is_shown_is_what_the_files_contain():
    steps = re.sub(r"^ {3}", "", section("Add a benchmark, step by step"), flags=re.MULTILINE)
    shown = re.findall(r"^# (lab/\S+\.py)\n(.*?)(?=^# lab/|^```)", steps, re.MULTILINE | re.DOTALL)
    assert [path.rpartition("/")[2] for path, _ in shown] == [
        "stackfaq.py", "public.py", "__init__.py", "data_folder.py", "test_benchmarks.py"
    ]  # fmt: skip
    for path, code in shown:
        assert contains((ROOT / path).read_text(encoding="utf-8"), code), path


def test_the_benchmark_that_is_shown_is_documented():
    assert "\n| `stackfaq` | " in (ROOT / "lab/docs/benchmarks.md").read_text(encoding="utf-8")


def test_lines_that_are_not_in_a_file_are_noticed():
    assert contains("a\n    b\n    c\nd\n", "a\n...\n    c\n")
    assert not contains("a\n    b\n", "a\nb\n")
    assert not contains("a\nb\nc\n", "a\nc\n")


def contains(source, code):
    """Return whether a file contains lines, in that order, with gaps only at ``...``."""
    lines = [line.rstrip() for line in code.rstrip().splitlines()]
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else rf"{re.escape(line)}\n" for line in lines)
    return re.search(f"^{pattern}", source, re.MULTILINE) is not None
