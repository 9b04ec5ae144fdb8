"""Match the words of two texts by stem, by a short list of synonyms, or else by similarity."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import combining, normalize

from rapidfuzz.distance import JaroWinkler
from Stemmer import Stemmer

from boolattn.reading.spans import FUNCTION_WORDS, WORD, Span, plain_marks

_STEMMER = Stemmer("english")
_LIKE_ENOUGH = 0.84

# What one stem can represent, if the other stem does not also occur.
_SYNONYMS = {
    "movi": ("film",),
    "novel": ("book",),
    "book": ("novel",),
    "plant": ("flora", "tree"),
    "flora": ("plant", "tree"),
    "tree": ("flora", "plant"),
    "anim": ("fauna",),
    "fauna": ("anim",),
    "scifi": ("scienc", "fiction"),
    "sci": ("scienc",),
    "fi": ("fiction",),
    "us": ("unit", "state"),
    "usa": ("unit", "state"),
    "uk": ("unit", "kingdom"),
    "tv": ("televis",),
    "discov": ("describ",),
    "nonfict": ("fiction",),
}


@dataclass(frozen=True, slots=True)
class Word:
    """A content word of a text: its span and its stem."""

    span: Span
    stem: str


def content_words(text: str) -> list[Word]:
    """Return the content words of the text, in order."""
    matches = WORD.finditer(plain_marks(text).lower())
    return [Word(Span(*match.span()), _stem(match[0])) for match in matches if match[0] not in FUNCTION_WORDS]


def meanings(words: Sequence[Word], stems: Collection[str]) -> list[frozenset[str]]:
    """Return for each word which of the given stems it represents; none for an unrelated word.

    A stem that occurs literally is not also assigned to a synonym or a similar word: next to "Australia", "Austria" is
    another word, not a misspelling.
    """
    missing = set(stems) - {word.stem for word in words}
    return [frozenset(_meanings_of(word.stem, stems, missing)) for word in words]


def _meanings_of(stem: str, stems: Collection[str], missing: set[str]) -> set[str]:
    plain = missing.intersection(_SYNONYMS.get(stem, ()))
    if stem in stems:
        plain.add(stem)
    if plain:
        return plain
    best = max(missing, key=lambda other: _likeness(stem, other), default="")
    return {best} if _likeness(stem, best) >= _LIKE_ENOUGH else set()


def _likeness(stem: str, other: str) -> float:
    if stem[:1].isdigit() or other[:1].isdigit():
        return float(stem.rstrip("s") == other.rstrip("s"))
    return JaroWinkler.similarity(stem, other) if stem[:3] == other[:3] else 0.0


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    bare = "".join(character for character in normalize("NFKD", word) if not combining(character))
    decade_joined = re.sub(r"(?<=\d)'(?=s$)", "", bare)
    return str(_STEMMER.stemWord(decade_joined.removesuffix("'s").removesuffix("'")))
