"""The words of atoms, and how many of them a text contains."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import Stemmer
from bm25s.stopwords import STOPWORDS_EN_PLUS
from numpy.typing import NDArray

from boolattn.reading.plan import QueryAtom

_WORD = re.compile(r"\b\w\w+\b")
MOST_SEARCHES = 80
"""Up to this many word beginnings, one search for each is faster than one pass for all."""


def words_of(texts: Iterable[str]) -> list[str]:
    """Return the distinct words of texts in lower case, without the most common English words."""
    words = (word for text in texts for word in _WORD.findall(text.lower()))
    return [word for word in dict.fromkeys(words) if word not in STOPWORDS_EN_PLUS]


def distinctive_words(atoms: Sequence[QueryAtom]) -> list[list[str]]:
    """Return the words of each atom; in "war films, not spy films", only "spy" distinguishes what is unwanted."""
    wanted = set(_stems(words_of(atom.text for atom in atoms if atom.sign == 1)).values())
    found = []
    for atom in atoms:
        stems = _stems(words_of([atom.text]))
        found.append([word for word, stem in stems.items() if atom.sign == 1 or stem not in wanted])
    return found


def shares_found(wanted: Sequence[Sequence[str]], texts: Sequence[str]) -> NDArray[np.float64]:
    """Return for each list of words and each text (A, N) the share of the words that the text contains, from 0 to 1.

    Words are stemmed. Words that are rare in these texts weigh more, as in BM25, and a word that all texts contain has
    almost no weight.
    """
    stems_of = [sorted(set(_stems(words).values())) for words in wanted]
    shares = np.zeros((len(wanted), len(texts)))  # (A, N)
    row_of = {stem: row for row, stem in enumerate({stem for stems in stems_of for stem in stems})}
    if not row_of or not texts:
        return shares
    contained = _contained(row_of, texts)  # (stems, N)
    often = contained.sum(axis=1)
    weights = np.log1p((len(texts) - often + 0.5) / (often + 0.5))  # (stems,)
    for atom, stems in enumerate(stems_of):
        if stems:
            chosen = [row_of[stem] for stem in stems]
            shares[atom] = weights[chosen] @ contained[chosen] / weights[chosen].sum()
    return shares


def _contained(row_of: Mapping[str, int], texts: Sequence[str]) -> NDArray[np.float64]:
    """Return (stems, N): 1 if a text contains a stem, else 0."""
    contained = np.zeros((len(row_of), len(texts)))
    lowered = [text.lower() for text in texts]
    joined, starts = "\n".join(lowered), np.cumsum([0, *(len(text) + 1 for text in lowered[:-1])])
    places: dict[str, list[int]] = defaultdict(list)
    # Only words that begin like a stem are stemmed.
    for pattern in _patterns({_beginning(stem) for stem in row_of}):
        for match in re.finditer(pattern, joined):
            places[match[0]].append(match.start())
    for word, stem in _stems(places).items():
        if stem in row_of:
            contained[row_of[stem], np.searchsorted(starts, places[word], side="right") - 1] = 1
    return contained


def _beginning(stem: str) -> str:
    """Return the first letters of all words with a stem: stemming changes the last ones ("dying" to "die")."""
    return stem[0] if re.fullmatch(r"\wie", stem) else stem[: min(3, max(1, len(stem) - 1))]


def _patterns(beginnings: Collection[str]) -> list[str]:
    """Return the patterns that together match every word with one of these beginnings."""
    if len(beginnings) > MOST_SEARCHES:  # a long query: all of them, and some other words, in one pass
        return [rf"\b[{re.escape(''.join({beginning[0] for beginning in beginnings}))}]\w*"]
    # A pattern that starts with letters, and only then looks back for the beginning of a word, is a fast search for
    # these letters.
    escaped = map(re.escape, beginnings)
    return [rf"{beginning}(?<=\b{beginning})\w*" for beginning in escaped]


def _stems(words: Iterable[str]) -> dict[str, str]:
    """Return the stem of each word."""
    words = list(words)
    stemmer = Stemmer.Stemmer("english")  # stemmers are not thread-safe
    return dict(zip(words, stemmer.stemWords(words), strict=True))
