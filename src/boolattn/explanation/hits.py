"""Hits of a search in the terminal: what was found, and what raised or lowered it."""

import re
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from boolattn.explanation.terminal import printable
from boolattn.reading.plan import BooleanPlan
from boolattn.retrieval.search.hits import AtomEffect, SearchHit
from boolattn.retrieval.search.lexical_match import words_of

SNIPPET = 180  # characters
_BEFORE = 40  # of these, so many before the first wanted word


def render_hits(plan: BooleanPlan, hits: Sequence[SearchHit]) -> RenderableType:
    """Return what ``rich`` prints: the plan, then each hit with a snippet and what its atoms did."""
    if not hits:
        return Text("nothing found")
    parts: list[RenderableType] = [_plan(plan), Text()]
    for place, hit in enumerate(hits, start=1):
        parts += [_heading(place, hit), Text(snippet(hit.text, plan), "dim")]
        if hit.atoms:
            parts.append(Text("   ").join(_effect(atom) for atom in hit.atoms))
        parts.append(Text())
    return Group(*parts[:-1])


def render_beside(plain: Sequence[SearchHit], boolean: Sequence[SearchHit]) -> RenderableType:
    """Return two columns: what the plain model finds, and what is found once the query is read."""
    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    for title in ("", "plain", "Boolean"):
        table.add_column(title, ratio=1 if title else None, no_wrap=not title)
    by_plain, by_boolean = ({hit.doc_id for hit in hits} for hits in (plain, boolean))
    for place in range(max(len(plain), len(boolean))):
        old, new = _named(plain, place, by_boolean, "-", "red"), _named(boolean, place, by_plain, "+", "green")
        table.add_row(str(place + 1), old, new)
    return Group(table, Text("- found by the plain model alone   + found by the Boolean one alone", "dim"))


def snippet(text: str, plan: BooleanPlan) -> str:
    """Return the part of a text around the first wanted word in it."""
    text = printable(text)
    words = words_of(atom.text for atom in plan.positives)
    found = re.search(rf"\b({'|'.join(map(re.escape, words))})", text, re.IGNORECASE) if words else None
    start = max(0, found.start() - _BEFORE) if found else 0
    start = text.find(" ", start) + 1 if start else 0  # at the beginning of a word
    shown = text[start : start + SNIPPET]
    return ("..." if start else "") + shown + ("..." if start + SNIPPET < len(text) else "")


def _plan(plan: BooleanPlan) -> Text:
    signs = {1: ("+ ", "green"), -1: ("- ", "red")}
    return Text("   ").join(
        Text(signs[atom.sign][0] + printable(atom.text), signs[atom.sign][1]) for atom in plan.atoms
    )


def _heading(place: int, hit: SearchHit) -> Text:
    named = Text(printable(hit.title or hit.doc_id), "bold")
    return Text.assemble(f"{place:>2}. ", named, (f"  {hit.score:.3f}  {printable(hit.doc_id)}", "dim"))


def _effect(atom: AtomEffect) -> Text:
    return Text(f"{printable(atom.text)} {atom.effect:+.2f}", "red" if atom.effect < 0 else "green")


def _named(hits: Sequence[SearchHit], place: int, other: set[str], sign: str, style: str) -> Text:
    """Return the title at a place, after the sign and in the style if the other side lacks it."""
    if place >= len(hits):
        return Text()
    hit = hits[place]
    title = printable(hit.title or hit.doc_id)
    return Text(f"  {title}") if hit.doc_id in other else Text(f"{sign} {title}", style)
