"""Search hits in the terminal, with the effect of each atom on each score."""

import re
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from boolattn.explanation.terminal import printable
from boolattn.plans.word_matching import words_of
from boolattn.reading.plan import BooleanPlan
from boolattn.retrieval.search.hits import AtomEffect, SearchHit

SNIPPET = 180  # characters
_BEFORE = 40  # characters before the first wanted word


def render_hits(plan: BooleanPlan, hits: Sequence[SearchHit]) -> RenderableType:
    """Return what ``rich`` prints: the plan, then each hit with a snippet and the effect of each atom."""
    if not hits:
        return Text("nothing found")
    parts: list[RenderableType] = [_plan(plan), Text()]
    for place, hit in enumerate(hits, start=1):
        parts += [_heading(place, hit), Text(snippet(hit.text, plan), "dim")]
        if hit.atoms:
            similarity = hit.score - sum(atom.effect for atom in hit.atoms)
            reasons = [Text(f"similarity {similarity:.2f}", "dim"), *map(_effect, hit.atoms)]
            parts.append(Text("   ").join(reasons))
        parts.append(Text())
    return Group(*parts[:-1])


def snippet(text: str, plan: BooleanPlan) -> str:
    """Return the part of a text around its first wanted word."""
    text = printable(text)
    words = words_of(atom.text for atom in plan.positives)
    found = re.search(rf"\b({'|'.join(map(re.escape, words))})", text, re.IGNORECASE) if words else None
    start = max(0, found.start() - _BEFORE) if found else 0
    start = text.find(" ", start) + 1 if start else 0  # at the start of a word
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
    shown = f"{atom.effect:+.2f}"
    if shown in ("+0.00", "-0.00"):  # no sign: the atom had no effect
        return Text(f"{printable(atom.text)} 0.00", "dim")
    return Text(f"{printable(atom.text)} {shown}", "red" if atom.effect < 0 else "green")
