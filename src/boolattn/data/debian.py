"""Debian packages with the facet tags people gave them, and what the tags mean."""

from collections.abc import Iterator
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path

from boolattn.data.rows.bad_rows import BadRowError, Place, SkipBad, keep_good
from boolattn.data.rows.columns import text_of
from boolattn.data.rows.jsonl import Filled, read_jsonl
from boolattn.data.rows.streams import paragraphs


@dataclass(frozen=True, slots=True)
class DebianPackage:
    """One package; ``tags`` is empty where nobody has tagged it."""

    name: Filled
    short: str
    long: str
    section: str
    tags: tuple[str, ...]
    homepage: str
    source: str


@dataclass(frozen=True, slots=True)
class DebianTerm:
    """A facet, such as ``game``, or a tag of it, such as ``game::strategy``: its meaning in a line, and at length."""

    name: str
    short: str
    long: str


def read_debian_packages(path: str | Path, skip: SkipBad | None = None) -> Iterator[DebianPackage]:
    """Read ``packages.jsonl``."""
    return read_jsonl(path, DebianPackage, skip)


def read_debian_vocabulary(path: str | Path, skip: SkipBad | None = None) -> Iterator[DebianTerm]:
    """Read debtags' ``vocabulary.txt``: one paragraph of fields for each facet and each tag."""
    return keep_good(paragraphs(path), _term, skip)


def _term(place: Place, paragraph: list[tuple[Place, bytes]]) -> DebianTerm:
    fields = HeaderParser().parsestr("\n".join(text_of(*line) for line in paragraph))
    name = fields["Tag"] or fields["Facet"]
    if not name:
        raise BadRowError(place, "Tag", "expected a field Tag or Facet in this paragraph")
    if not fields["Description"]:
        raise BadRowError(place, "Description", f"expected a description of {name}")
    short, *details = fields["Description"].splitlines()
    # A lone dot stands for an empty line, as in every Debian control file.
    long = "\n".join("" if line.strip() == "." else line.strip() for line in details)
    return DebianTerm(name, short, long)
