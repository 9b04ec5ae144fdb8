"""What pages refer to: links, paths, names and commands."""

import importlib
import re
import shlex
from pathlib import Path
from typing import Any

from pymdownx.slugs import slugify

from tests.docs.blocks import ROOT, blocks_of

FOLDERS = ("", "src/boolattn", "lab/src", "tests", "lab/tests")
"""What a path in a page may be relative to."""

_TOP = r"\.ci|deploy|docs|examples|lab|src|tests|weights"
_PATH = re.compile(rf"(?<![\w./:-])((?:{_TOP})/[\w./-]*\w|[\w/]+/\w+\.py)(?![\w/-])")
_FENCED = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"(?:^ {4,}|`)(?:\w+=\S+ )*(boolattn(?:-lab)? [^`\n]+)", re.MULTILINE)


def text_of(page: Path) -> str:
    """Return what a page says."""
    return page.read_text(encoding="utf-8")


def place_of(path: str, page: Path = ROOT / "README.md") -> Path | None:
    """Return the file or folder that a path in a page means, or None."""
    places = [page.parent / path, *(ROOT / folder / path for folder in FOLDERS)]
    return next((place for place in places if place.exists()), None)


def missing_paths(page: Path) -> list[str]:
    """Return the paths in a page that lead nowhere."""
    return [path for path in _PATH.findall(text_of(page)) if place_of(path, page) is None]


def broken_links(page: Path) -> list[str]:
    """Return the relative links of a page whose file or heading does not exist."""
    links = re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", text_of(page))
    return [f"{target}#{anchor}" for target, anchor in links if not _leads_somewhere(page, target, anchor)]


def _leads_somewhere(page: Path, target: str, anchor: str) -> bool:
    place = page.parent / target if target else page
    return place.exists() and (not anchor or anchor in anchors_of(text_of(place)))


def anchors_of(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", text), re.MULTILINE)
    slug = slugify(case="lower")
    return {slug(re.sub(r"[`*]", "", heading), "-") for heading in headings}


def names_in(page: Path, package: str) -> list[str]:
    """Return the dotted names of a package in a page."""
    found = re.findall(rf"(?<![\w/@.-]){package}(?:\.[a-z_]\w*)+(?:\.[A-Z]\w*)?(?![\w-])", text_of(page))
    return sorted({name for name in found if not name.endswith((".json", ".safetensors"))})


def imports_in(page: Path, package: str) -> list[str]:
    """Return the dotted names that a page's code imports from a package."""
    code = "\n".join(block.code for block in blocks_of(page) if block.language == "python")
    froms = re.findall(rf"^ *from ({package}(?:\.[\w.]+)?) import ([\w, ]+)(?:#.*)?$", code, re.MULTILINE)
    return [f"{module}.{name}" for module, names in froms for name in re.findall(r"\w+", names)]


def resolve(name: str) -> Any:
    """Import as much of a dotted name as is a module, and get the rest as attributes."""
    module, *rest = name.split(".")
    found = importlib.import_module(module)
    for part in rest:
        module = f"{module}.{part}"
        found = getattr(found, part) if hasattr(found, part) else importlib.import_module(module)
    return found


def commands_of(text: str) -> list[str]:
    """Return the commands of a page, in blocks and in sentences."""
    return _COMMAND.findall(_FENCED.sub(lambda block: _indented(*block.groups()), text.replace("\\\n", " ")))


def _indented(language: str, code: str) -> str:
    return re.sub("^", "    ", code, flags=re.MULTILINE) if language in ("", "bash", "sh") else ""


def require_command(shown: str, program: Any) -> list[str]:
    """Raise unless a program has a command and its options; return the command's other words."""
    words = shlex.split(shown, comments=True)[1:]
    command = program
    while words and hasattr(command, "commands") and not words[0].startswith(("-", "...")):
        assert words[0] in command.commands, f"{shown!r}: no command {words[0]!r}"
        command = command.commands[words.pop(0)]
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts, "--help")}
    for word in words:
        assert not word.startswith("-") or word.split("=")[0] in known, f"{shown!r}: no option {word!r}"
    return words
