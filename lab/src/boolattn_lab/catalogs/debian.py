"""Debian packages as a catalog: each facet of debtags is a column, phrased from the descriptions of its tags."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from boolattn_lab.catalogs.atoms import Column, Phrases
from boolattn_lab.catalogs.catalog import Catalog, Domain, Row, build_catalog, field_of
from boolattn_lab.formats.catalogs import DebianPackage, read_debian_packages, read_debian_vocabulary
from boolattn_lab.formats.folder import DataFolder

HEADS = ("packages",)


def _before(modifier: str, order: int, *posts: str, do: Sequence[str] = ()) -> Phrases:
    """Phrases before the noun: "plugin packages"; the posts, if any, end with the value: "packages using Qt"."""
    ending = tuple(f"{{head}} {post}" for post in posts)
    return Phrases(
        noun=(*ending, f"{modifier} {{head}}"),
        core=(f"{modifier} {{head}}",),
        open=ending,
        tail=("{value}",) if posts else (),
        modifier=(modifier,),
        post=posts,
        are=(f"{modifier} {{head}}",),
        do=tuple(do),
        topic=("{value}",) if posts else (),
        modifier_order=order,
        core_order=order,
    )


def _after(*posts: str, do: Sequence[str] = ()) -> Phrases:
    """Phrases after the noun: "packages for browsing"."""
    nouns = tuple(f"{{head}} {post}" for post in posts)
    may_go_on = all(post.endswith("{value}") for post in posts)
    return Phrases(
        noun=nouns,
        core=nouns,
        open=nouns if may_go_on else (),
        tail=("{value}",) if may_go_on else (),
        post=posts,
        are=() if do else posts,
        do=tuple(do),
    )


def _area(area: str) -> Phrases:
    """Phrases around the noun: "security packages for authentication"."""
    nouns = (f"{area} {{head}} for {{value}}",)
    return Phrases(noun=nouns, open=nouns, tail=("{value}",), are=nouns)


FACETS: dict[str, Phrases] = {
    "accessibility": _area("accessibility"),
    "admin": _area("administration"),
    "biology": _after("for working with {value}"),
    "culture": _after("for {value} users"),
    "devel": _area("development"),
    "devel::lang": _after("for {value} development", "for {value} programming"),
    "field": _before("{value}", 3, "for {value}"),
    "game": Phrases(noun=("{value} games",), core=("{value} games",), are=("{value} games",), core_order=5),
    "hardware": _after("for {value} hardware"),
    "implemented-in": _before("{value}", 2, "written in {value}", "implemented in {value}"),
    "interface": _after("with {value} interfaces", do=("have {value} interfaces",)),
    "iso15924": _after("for the {value} script"),
    "made-of": _after("containing {value}", do=("contain {value}",)),
    "mail": _area("mail"),
    "network": _before("network {value}", 4),
    "office": _area("office"),
    "protocol": _before("{value}", 2, "with support for {value}", do=("support {value}",)),
    "role": _before("{value}", 5),
    "science": _area("scientific"),
    "scope": _before("{value}", 5),
    "security": _area("security"),
    "sound": _area("sound"),
    "suite": _before("{value}", 1, "from {value}", "that belong to {value}", do=("belong to {value}",)),
    "system": _after("for {value} systems"),
    "uitoolkit": _before("{value}", 2, "using {value}", "built with {value}", do=("use {value}",)),
    "use": _after("for {value}"),
    "web": _before("web {value}", 4),
    "works-with": _after("for working with {value}", "for handling {value}", do=("work with {value}",)),
    "works-with-format": _after("for {value} files", do=("read {value} files", "handle {value} files")),
    "x11": _before("X11 {value}", 4),
}
"""How the tags of each facet are phrased; facets about the archive itself are excluded."""

_PROPER_NAMES = {"culture", "devel::lang", "implemented-in", "iso15924", "protocol", "suite", "uitoolkit"}
_CAPITALISED = re.compile(r"\b[A-Z][a-z]+\b")
_NOT_PART_OF_THE_NAME = re.compile(r"\s*(?:,|\().*| (?:Development|Protocol|Software|Games|Documents|Archives)$")

_SAID_OTHERWISE = {
    "admin::configuring": "configuration",
    "admin::filesystem": "filesystems",
    "admin::kernel": "the kernel or its modules",
    "devel::buildtools": "building",
    "devel::compiler": "compilation",
    "devel::docsystem": "literate programming",
    "devel::editor": "source editing",
    "devel::ide": "IDEs",
    "devel::interpreter": "interpreters",
    "devel::lang:sparql": "SPARQL",
    "devel::prettyprint": "pretty-printing",
    "devel::ui-builder": "user interfaces",
    "devel::web": "the web",
    "field::arts": "art",
    "field::finance": "finance",
    "hardware::detection": "auto-detected",
    "hardware::input": "input",
    "hardware::joystick": "legacy joystick",
    "hardware::opengl": "3D graphics",
    "hardware::scanner": "image scanning",
    "implemented-in::shell": "shell script",
    "interface::graphical": "graphical",
    "interface::web": "web",
    "iso15924::hans": "simplified Han",
    "iso15924::hant": "traditional Han",
    "made-of::dictionary": "dictionaries",
    "made-of::font": "fonts",
    "made-of::pdf": "PDF documents",
    "mail::delivery-agent": "delivery agents",
    "mail::filters": "filtering",
    "mail::transport-agent": "transport agents",
    "mail::user-agent": "user agents",
    "office::presentation": "presentations",
    "protocol::db:mysql": "MySQL protocol",
    "protocol::db:psql": "PostgreSQL protocol",
    "role::dummy": "dummy",
    "role::examples": "example",
    "role::metapackage": "meta",
    "security::firewall": "firewalls",
    "security::log-analyzer": "log analysis",
    "suite::gimp": "GIMP",
    "suite::gkrellm": "GKrellM",
    "system::mobile": "mobile",
    "uitoolkit::gnustep": "GNUstep GUI",
    "uitoolkit::ncurses": "ncurses",
    "uitoolkit::xlib": "Xlib",
    "use::driver": "driving hardware",
    "use::timekeeping": "timekeeping",
    "works-with-format::diff": "diff",
    "works-with-format::elf": "ELF",
    "works-with-format::epub": "EPUB",
    "works-with-format::ical": "iCalendar",
    "works-with-format::info": "Info",
    "works-with-format::iso9660": "ISO 9660",
    "works-with-format::man": "manpage",
    "works-with-format::rdf:ntriples": "N-Triples",
    "works-with-format::wav": "WAV audio",
    "works-with-format::xml:rss": "RSS",
    "works-with-format::xml:xslt": "XSLT",
    "works-with::3dmodel": "3D models",
    "works-with::archive": "archives",
    "works-with::biological-sequence": "biological sequences",
    "works-with::dtp": "desktop publishing",
    "works-with::image": "images",
    "works-with::image:raster": "raster images",
    "works-with::image:vector": "vector images",
    "works-with::software:package": "packaged software",
    "works-with::spreadsheet": "spreadsheets",
    "works-with::vcs": "version control systems",
    "x11::xserver": "server",
}


def debian_domain(data: DataFolder) -> Domain:
    """Debian packages that have facet tags; a document is the short and the long description."""
    folder = data.path / "debian"

    def packages() -> Iterator[DebianPackage]:
        return (package for package in read_debian_packages(folder / "packages.jsonl.zst", data.skip) if package.tags)

    def documents() -> Iterator[tuple[str, str]]:
        return ((package.name, f"{package.short}. {package.long}") for package in packages())

    vocabulary = read_debian_vocabulary(folder / "vocabulary.txt", data.skip)
    return Domain(debian_catalog(packages(), vocabulary), documents, "things")


def debian_catalog(records: Iterable[Any], vocabulary: Iterable[Any]) -> Catalog:
    """Build the catalog of Debian packages.

    Args:
        records: Packages: objects or dicts with ``name`` and ``tags``.
        vocabulary: Tag descriptions: objects or dicts with ``name``, such as "use::editing", and ``short``.
    """
    labels = {field_of(term, "name"): _label(field_of(term, "name"), field_of(term, "short")) for term in vocabulary}
    columns = [Column(facet, phrases, write=labels.__getitem__) for facet, phrases in FACETS.items()]
    return build_catalog(_rows(records, labels), columns, HEADS)


def _rows(records: Iterable[Any], known: Mapping[str, str]) -> Iterator[Row]:
    for record in records:
        by_facet: dict[str, list[str]] = {}
        for tag in field_of(record, "tags"):
            if tag in known and not tag.endswith("TODO"):
                by_facet.setdefault(_facet(tag), []).append(tag)
        yield field_of(record, "name"), by_facet


def _facet(tag: str) -> str:
    return "devel::lang" if tag.startswith("devel::lang:") else tag.partition("::")[0]


def _label(tag: str, description: str) -> str:
    """Return a tag's description as used within a sentence: "Command Line" as "command line"."""
    if tag in _SAID_OTHERWISE:
        return _SAID_OTHERWISE[tag]
    name = _NOT_PART_OF_THE_NAME.sub("", description)
    return name if _facet(tag) in _PROPER_NAMES else _CAPITALISED.sub(lambda word: word[0].lower(), name)
