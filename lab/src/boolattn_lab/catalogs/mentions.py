"""A catalog of pages by the titles they mention: any subject, whereas films and packages have a few dozen kinds."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from ahocorasick_rs import AhoCorasick, MatchKind

from boolattn.reading.spans import FUNCTION_WORDS
from boolattn_lab.catalogs.atoms import Column, Phrases
from boolattn_lab.catalogs.catalog import Catalog, Domain, Row, build_catalog
from boolattn_lab.catalogs.known_names import is_whole_word
from boolattn_lab.formats.catalogs import read_pages
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.records import Document

PAGES = 12_288  # for training; benchmarks of long questions use later pages
FEWEST_PAGES = 5  # that mention a title; with fewer, there is nothing to exclude
LARGEST_SHARE = 0.05  # of the pages; a more frequent title is not distinctive
_BRACKETED = re.compile(r"\s*\(.*\)$")  # "America (ship)" is called America

_MENTION = Column(
    "mention",
    Phrases(
        noun=("{head} about {value}",),
        open=("{head} about {value}",),
        tail=("{value}",),
        post=("about {value}", "on {value}", "that mention {value}"),
        are=("about {value}", "on {value}"),
        do=("mention {value}", "talk about {value}", "discuss {value}", "refer to {value}"),
        topic=("{value}", "any mention of {value}"),
    ),
)


def pages_domain(data: DataFolder) -> Domain:
    """The first pages of the Wikipedia introductions, by what they mention."""
    pages = first_pages(data)

    def documents() -> Iterator[tuple[str, str]]:
        return ((page.title, f"{page.title}. {page.text}") for page in pages)

    return Domain(mentions_catalog([page.title for page in pages], [page.text for page in pages]), documents, "pages")


def first_pages(data: DataFolder) -> list[Document]:
    """Return the first pages of the Wikipedia introductions, one per title."""
    path = data.path / "wiki-intros" / "wiki_intros.jsonl.zst"
    return list({page.title: page for page in islice(read_pages(path, data.skip), PAGES)}.values())


def mentions_catalog(titles: Sequence[str], texts: Sequence[str]) -> Catalog:
    """Build a catalog in which a page's values are the titles of other pages that its text mentions verbatim.

    Args:
        titles: The title of each page, which must be unique.
        texts: The text of each page.
    """
    mentioned = list(names_mentioned(titles, texts))
    counts = Counter(name for row in mentioned for name in row)
    told = {name for name, count in counts.items() if FEWEST_PAGES <= count <= LARGEST_SHARE * len(texts)}
    rows: Iterator[Row] = (
        (title, {"mention": sorted(row & told)}) for title, row in zip(titles, mentioned, strict=True)
    )
    return build_catalog(rows, [_MENTION], heads=("pages", "articles", "texts", "things"))


def names_mentioned(titles: Sequence[str], texts: Sequence[str]) -> Iterator[set[str]]:
    """Yield for each text the titles, without brackets, that it mentions verbatim."""
    names = sorted({name for title in titles if _is_name(name := _BRACKETED.sub("", title))})
    automaton = AhoCorasick(names, matchkind=MatchKind.LeftmostLongest)
    for text in texts:
        yield {names[number] for number in _whole_words(automaton, text)}


def _is_name(title: str) -> bool:
    return len(title) > 3 and title[0].isupper() and title.lower() not in FUNCTION_WORDS


def _whole_words(automaton: AhoCorasick, text: str) -> Iterator[int]:
    for number, start, end in automaton.find_matches_as_indexes(text):
        if is_whole_word(text, start, end):
            yield number
