"""Which of the tokens that a reader marks as unwanted some *not* of the query speaks of."""

from collections.abc import Iterable, Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

WIDEST_GAP = 3
"""How many unmarked tokens may stand between two pieces of what a cue speaks of."""
PAUSE = 4
"""How many tokens a comma counts for between a cue and what it may speak of: more than stand between most of them."""


class Layout(NamedTuple):
    """Where a token stands in its query."""

    depth: int  # in how many brackets; a bracket itself stands outside
    pauses: bool  # whether it is a comma or the like


NOWHERE = Layout(0, False)


def layout_of(query: str, first: int, last: int) -> Layout:
    """Return where the token of these characters stands; special tokens have none."""
    if first >= last:
        return NOWHERE
    before, token = query[:first], query[first:last]
    return Layout(max(0, before.count("(") - before.count(")") - token.startswith(")")), token in ",;:.?!")


def spoken_of(cues: Sequence[bool], scopes: Sequence[bool], layout: Sequence[Layout]) -> list[bool]:
    """Return the unwanted tokens without those that no cue speaks of, as a reader marks some in a long question.

    A cue speaks of what is nearest to it, before or behind: "without [war]", "[war] is out, love is in"; not of what
    an earlier one speaks of: "non-[war] non-[love] films". In brackets, it speaks of nothing outside them: "Marx
    (without his [Manifesto]) and Weber". Where there is no cue, all tokens stay: the reader has understood what is not
    said.

    Args:
        cues: Which tokens are a cue of *not*.
        scopes: Which tokens are marked as unwanted.
        layout: Where each token stands.
    """
    cues = [cue and not scope for cue, scope in zip(cues, scopes, strict=True)]
    if not any(cues):
        return list(scopes)
    kept = [False] * len(scopes)
    for is_cue, run in groupby(range(len(cues)), key=lambda place: cues[place]):
        if is_cue:
            of_cue = list(run)
            first, last = of_cue[0], of_cue[-1]
            ends = [cue or taken for cue, taken in zip(cues, kept, strict=True)]
            sides = [
                _nearest(_reach(places, layout[first].depth, ends, layout), scopes, layout)
                for places in (range(last + 1, len(cues)), range(first - 1, -1, -1))
            ]
            _, places = min((side for side in sides if side[1]), key=lambda side: side[0], default=(0, []))
            for place in places:
                kept[place] = True
    return kept


def _reach(places: Iterable[int], depth: int, ends: Sequence[bool], layout: Sequence[Layout]) -> Iterable[int]:
    """Return the places up to one that ends the reach of a cue, or to the end of its own bracket."""
    return takewhile(lambda place: not ends[place] and layout[place].depth >= depth, places)


def _nearest(places: Iterable[int], scopes: Sequence[bool], layout: Sequence[Layout]) -> tuple[int, list[int]]:
    """Walk along and return how far the first unwanted place is, and with it those up to a gap that is too wide."""
    distance, gap = 0, 0
    found: list[int] = []
    for place in places:
        if scopes[place]:
            found.append(place)
            gap = 0
        elif not found:
            distance += PAUSE if layout[place].pauses else 1
        elif (gap := gap + 1) > WIDEST_GAP:
            break
    return distance, found
