"""Hits of two searches side by side."""

from collections.abc import Sequence
from typing import Protocol

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from boolattn.explanation.terminal import printable


class Named(Protocol):
    """A hit, as a list shows it."""

    @property
    def doc_id(self) -> str:
        """The document's ID."""
        ...

    @property
    def title(self) -> str:
        """Its title, or empty."""
        ...


def render_side_by_side(plain: Sequence[Named], boolean: Sequence[Named]) -> RenderableType:
    """Return two columns: the plain model's hits, and the hits once the query is read."""
    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    for title in ("", "plain", "Boolean"):
        table.add_column(title, ratio=1 if title else None, no_wrap=not title)
    by_plain, by_boolean = ({hit.doc_id for hit in hits} for hits in (plain, boolean))
    for place in range(max(len(plain), len(boolean))):
        old, new = _named(plain, place, by_boolean, "-", "red"), _named(boolean, place, by_plain, "+", "green")
        table.add_row(str(place + 1), old, new)
    if by_plain == by_boolean:
        return table
    return Group(table, Text("- found only by the plain search   + found only by the Boolean search", "dim"))


def _named(hits: Sequence[Named], place: int, other: set[str], sign: str, style: str) -> Text:
    """Return the title at a rank, with the sign and style if the other side lacks it."""
    if place >= len(hits):
        return Text()
    hit = hits[place]
    title = printable(hit.title or hit.doc_id)
    return Text(f"  {title}") if hit.doc_id in other else Text(f"{sign} {title}", style)
