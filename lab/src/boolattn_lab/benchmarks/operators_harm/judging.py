"""Changed queries as pairs of unnamed lists, so that a person can judge them without knowing which search is which."""

import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from boolattn_lab.benchmarks.operators_harm.overlap import Hits
from boolattn_lab.formats.hashed_labels import digest
from boolattn_lab.formats.records import Document

JUDGED, SHOWN, CHARACTERS = 50, 5, 200


def changed_in_view(found: Iterable[Hits]) -> list[Hits]:
    """Return at most fifty queries whose first five hits differ: those with the smallest SHA-256."""
    differing = (each for each in found if each.plain[:SHOWN] != each.whole[:SHOWN])
    return sorted(differing, key=lambda each: digest(each.query))[:JUDGED]


def write_pairs(pairs: Sequence[Hits], documents: Mapping[str, Document], path: Path) -> Path:
    """Write the pairs to judge to a Markdown file, and which list is the whole search's to a key file; return that."""
    key = {str(number): letter_of_whole(each.query) for number, each in enumerate(pairs, 1)}
    head = (
        "Which list answers the query better? Write A, B or same after each `verdict:`, before you open the key file."
    )
    blocks = (_block(number, each, key[str(number)], documents) for number, each in enumerate(pairs, 1))
    path.write_text("\n\n".join([head, *blocks]) + "\n", encoding="utf-8")
    aside = path.with_name(f"{path.name}.key.json")
    aside.write_text(json.dumps(key, indent=1) + "\n", encoding="utf-8")
    return aside


def letter_of_whole(query: str) -> str:
    """Return the letter of the whole search's list: A or B, by hash, so that a rerun writes the same file."""
    return "AB"[int(digest(f"letter of {query}")[:8], 16) % 2]


def _block(number: int, found: Hits, letter: str, documents: Mapping[str, Document]) -> str:
    lists = {letter: found.whole, ({"A", "B"} - {letter}).pop(): found.plain}
    shown = (f"{name}:\n" + "\n".join(_lines(lists[name], documents)) for name in "AB")
    return f"## {number}. {found.query}\n\n" + "\n\n".join(shown) + "\n\nverdict:"


def _lines(ids: Sequence[str], documents: Mapping[str, Document]) -> Iterable[str]:
    for place, doc_id in enumerate(ids[:SHOWN], 1):
        document = documents[doc_id]
        text = textwrap.shorten(document.text[:CHARACTERS], CHARACTERS, placeholder="")
        yield f"{place}. **{document.title}**: {text}"
