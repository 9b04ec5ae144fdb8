"""Catalogs to generate queries over: films, Debian packages, recipes, and pages with titles."""

from collections.abc import Iterator
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path

import msgspec

from boolattn.retrieval.corpus.bad_rows import BadRowError, Place
from boolattn_lab.formats.jsonl import Filled, read_jsonl
from boolattn_lab.formats.lines import paragraphs, text_of
from boolattn_lab.formats.records import Document
from boolattn_lab.formats.skipping import SkipBad, keep_good


@dataclass(frozen=True, slots=True)
class Film:
    """One film; neither ``title`` nor ``href``, the name of its page, is unique."""

    title: Filled
    year: int
    cast: tuple[str, ...]
    genres: tuple[str, ...]
    href: str
    extract: str


def read_films(path: str | Path, skip: SkipBad | None = None) -> Iterator[Film]:
    """Read ``films.jsonl``."""
    return read_jsonl(path, Film, skip)


@dataclass(frozen=True, slots=True)
class DebianPackage:
    """One package; ``tags`` is empty if it is untagged."""

    name: Filled
    short: str
    long: str
    section: str
    tags: tuple[str, ...]
    homepage: str
    source: str


@dataclass(frozen=True, slots=True)
class DebianTerm:
    """A facet, such as ``game``, or one of its tags, such as ``game::strategy``: a short and a long description."""

    name: str
    short: str
    long: str


def read_debian_packages(path: str | Path, skip: SkipBad | None = None) -> Iterator[DebianPackage]:
    """Read ``packages.jsonl``."""
    return read_jsonl(path, DebianPackage, skip)


def read_debian_vocabulary(path: str | Path, skip: SkipBad | None = None) -> Iterator[DebianTerm]:
    """Read debtags' ``vocabulary.txt``: one paragraph of fields per facet or tag."""
    return keep_good(paragraphs(path), _term, skip)


def _term(place: Place, paragraph: list[tuple[Place, bytes]]) -> DebianTerm:
    fields = HeaderParser().parsestr("\n".join(text_of(*line) for line in paragraph))
    name = fields["Tag"] or fields["Facet"]
    if not name:
        raise BadRowError(place, "Tag", "expected a field Tag or Facet in this paragraph")
    if not fields["Description"]:
        raise BadRowError(place, "Description", f"expected a description of {name}")
    short, *details = fields["Description"].splitlines()
    # A single dot means an empty line, as in every Debian control file.
    long = "\n".join("" if line.strip() == "." else line.strip() for line in details)
    return DebianTerm(name, short, long)


@dataclass(frozen=True, slots=True)
class Recipe:
    """One recipe; ``ingredients`` are lines as printed: "2 cups chopped onions"."""

    id: Filled
    title: Filled
    ingredients: tuple[str, ...]
    source: str

    @property
    def text(self) -> str:
        """Its title and ingredients, as a search sees them."""
        return f"{self.title}. {'; '.join(self.ingredients)}"


def read_recipes(path: str | Path, skip: SkipBad | None = None) -> Iterator[Recipe]:
    """Read ``recipes.jsonl``."""
    return read_jsonl(path, Recipe, skip)


class _Row(msgspec.Struct):
    title: Filled
    text: str


def read_pages(path: str | Path, skip: SkipBad | None = None) -> Iterator[Document]:
    """Read a corpus whose documents are identified by title."""
    for row in read_jsonl(path, _Row, skip):
        yield Document(row.title, row.title, row.text)
