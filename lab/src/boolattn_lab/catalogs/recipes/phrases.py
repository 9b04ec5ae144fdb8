"""The phrases of ingredient lines and titles in which a word stands: "4 cups chopped red onions" -> "red onions".

A phrase is the word with up to two words before it and one after it, without amounts, sizes, states and brands. What
each phrase means is looked up in a table that people can read; nothing here decides it.
"""

import re
import unicodedata
from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

BEFORE, AFTER = 2, 1

# Amounts, containers, sizes and states, which say nothing about what an ingredient is.
_IGNORED = frozenset(files(__package__).joinpath("ignored_words.txt").read_text(encoding="utf-8").split())
_BREAK = re.compile(r"[,;:()/\[\]\u2013\u2014]| - |\b(?:or|and|with|plus|for|in)\b")
_TOKEN = re.compile(r"[a-z]+(?:['-][a-z]+)*")
_HALF_AND_HALF = re.compile(r"\bhalf(?: and |-n-| n )half\b")
_MORE_AFTER = frozenset({"of", "butter", "cider", "pie", "cheese", "ice"})  # "cream of tartar", "peanut butter chips"


class Phrase(NamedTuple):
    """A phrase, and whether the word in it is negated: "no nuts", "egg-free", "unsalted"."""

    text: str
    negated: bool


def segments(line: str) -> Iterator[str]:
    """Yield the parts of a line, in lower case and without ignored words."""
    plain = unicodedata.normalize("NFKD", line.lower().replace("\u2019", "'").replace("&", " and "))
    plain = "".join(char for char in plain if not unicodedata.combining(char) and char not in "®™")
    for part in _BREAK.split(_HALF_AND_HALF.sub("half-and-half", plain)):
        words = [word for word in _TOKEN.findall(part) if word not in _IGNORED]
        if words:
            yield " ".join(words)


def phrases(segment: str, word: re.Pattern[str]) -> Iterator[Phrase]:
    """Yield the phrase of each place in a segment at which a word (a pattern) occurs."""
    for match in word.finditer(segment):
        start = segment.rfind(" ", 0, match.start()) + 1
        end = segment.find(" ", match.end())
        end = len(segment) if end < 0 else end
        before, itself, after = segment[:start].split(), segment[start:end], segment[end:].split()
        count = AFTER + (after[:1] != [] and after[0] in _MORE_AFTER)
        text = " ".join([*before[-BEFORE:], itself, *after[:count]])
        yield Phrase(text, _is_negated(before, itself, after))


def _is_negated(before: list[str], itself: str, after: list[str]) -> bool:
    return (
        before[-1:] in (["no"], ["without"], ["non"])
        or after[:1] == ["free"]
        or itself.startswith(("no-", "un", "non-"))
        or itself.endswith(("-free", "less"))
    )
