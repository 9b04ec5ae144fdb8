"""Which dish a recipe is, by its title: yes, no, or not decided."""

import re
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

Verdict = Literal["contains", "lacks", "open"]

# What ends the name of a dish: "Soup with Dumplings", "Cookies, Part II", "Salad (Vegan)".
_END = re.compile(
    r"\(|,|:|;|/| - |\u2013|\u2014|!|\b(?:with|in|for|on|from|over|of|by|without|to|a la|au|aux|recipe|[ivx]+)\b"
)


class Dish(NamedTuple):
    """A dish by name.

    Attributes:
        name: Its name in a query: "cookies".
        modifier: Its name before another noun: "cookie".
        head: What the title of one ends with.
        other: What the title of another thing ends with, although it ends with the same word: "crab cakes".
        perhaps: What else the title of one may contain: "snickerdoodles".
    """

    name: str
    modifier: str
    head: re.Pattern[str]
    other: re.Pattern[str] | None
    perhaps: re.Pattern[str]

    def verdict(self, title: str) -> Verdict:
        """Whether a recipe with this title is one; "open" if the words do not settle it."""
        plain = unicodedata.normalize("NFKD", title.lower().replace("\u2019", "'"))
        plain = "".join(char for char in plain if not unicodedata.combining(char))
        name = _END.split(plain)[0].strip(" .\"'#0123456789")
        if self.head.search(name):
            return "open" if self.other and self.other.search(name) else "contains"
        return "open" if self.perhaps.search(plain) else "lacks"


@cache
def dishes() -> dict[str, Dish]:
    """Return the dishes by name."""
    table = files(__package__).joinpath("dishes.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in table.splitlines()[1:]]
    return {row[0]: _dish(*row) for row in rows}


def _dish(name: str, modifier: str, head: str, other: str, perhaps: str) -> Dish:
    return Dish(
        name,
        modifier,
        re.compile(rf"\b(?:{head})$"),
        re.compile(rf"\b(?:{other})$") if other else None,
        re.compile(rf"\b(?:{head}|{modifier}|{perhaps or head})"),
    )
