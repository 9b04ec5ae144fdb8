"""Which recipes contain an ingredient, by a table of phrases that was decided by reading them.

``ingredients.tsv`` has every phrase that occurs three times or more in the benchmark's recipes: "cream of mushroom
soup" contains mushrooms, "eggplant" lacks eggs, and whether "garlic powder" is garlic is open. A phrase that is not in
the table is open too, unless the word in it is negated ("no nuts", "egg-free"): then it is lacking.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from boolattn_lab.catalogs.recipes.dishes import Verdict
from boolattn_lab.catalogs.recipes.phrases import phrases, segments

_OPTIONAL = re.compile(r"\boptional\b")


class Said(NamedTuple):
    """What a phrase says of an ingredient; see ``Finding``."""

    ingredient: str
    verdict: Verdict
    look_alike: bool


class Finding(NamedTuple):
    """What a recipe says about an ingredient.

    Attributes:
        verdict: Whether it contains the ingredient.
        look_alike: Whether it lacks it but has its word, negated or as part of another thing: "eggplant".
    """

    verdict: Verdict
    look_alike: bool


LACKING = Finding("lacks", False)


class Ingredient(NamedTuple):
    """An ingredient by name.

    Attributes:
        name: Its name in a query: "onions".
        modifier: Its name before another noun: "onion".
        word: The words to look for.
        verdicts: What the phrases around them mean.
    """

    name: str
    modifier: str
    word: re.Pattern[str]
    verdicts: dict[str, Verdict]

    def said_by(self, segment: str) -> Iterator[Said]:
        """Yield what each of its phrases in a segment says."""
        for phrase in phrases(segment, self.word):
            verdict: Verdict = "lacks" if phrase.negated else self.verdicts.get(phrase.text, "open")
            yield Said(self.name, verdict, verdict == "lacks" and self.modifier in phrase.text)


def findings(title: str, lines: Iterable[str]) -> dict[str, Finding]:
    """Return what a recipe says of each ingredient that it has a word for; it lacks all others.

    Neither a title nor "(optional)" settles that something is in it.
    """
    verdicts: dict[str, set[Verdict]] = defaultdict(set)
    look_alikes = set()
    for line, settles in [(title, False), *((line, not _OPTIONAL.search(line.lower())) for line in lines)]:
        for each in (each for segment in segments(line) for each in _said(segment)):
            verdicts[each.ingredient].add("open" if each.verdict == "contains" and not settles else each.verdict)
            if each.look_alike:
                look_alikes.add(each.ingredient)
    return {name: _finding(found, name in look_alikes) for name, found in verdicts.items()}


def _finding(found: set[Verdict], look_alike: bool) -> Finding:
    verdict: Verdict = "contains" if "contains" in found else "open" if "open" in found else "lacks"
    return Finding(verdict, look_alike and verdict == "lacks")


@cache  # segments such as "salt" recur in most recipes
def _said(segment: str) -> tuple[Said, ...]:
    return tuple(each for ingredient in ingredients().values() for each in ingredient.said_by(segment))


@cache
def ingredients() -> dict[str, Ingredient]:
    """Return the ingredients by name."""
    table = files(__package__).joinpath("ingredients.tsv").read_text(encoding="utf-8")
    rows: dict[str, dict[str, str]] = defaultdict(dict)
    for line in table.splitlines()[1:]:
        name, kind, text = line.split("\t")
        rows[name][kind] = text
    return {name: _ingredient(name, row) for name, row in rows.items()}


def _ingredient(name: str, row: dict[str, str]) -> Ingredient:
    kinds: tuple[Verdict, ...] = ("contains", "lacks", "open")
    verdicts = {phrase: kind for kind in kinds if kind in row for phrase in row[kind].split("; ")}
    return Ingredient(name, row["modifier"], re.compile(row["word"]), verdicts)
