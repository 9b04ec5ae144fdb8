"""The words of atoms, and what each text says about them: mentioned, denied, or part of another thing."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolattn.plans.contexts import prepared
from boolattn.plans.mention_search import Counts, Terms
from boolattn.plans.word_forms import COMMON_WORDS, REQUEST_WORDS, stems_of
from boolattn.reading.plan import QueryAtom

Numbers = NDArray[np.float64]

LONGEST_TEXT = 20_000
"""Characters of each text that are looked at, about 3,500 words; the rest is ignored."""
_BLOCK = 2_000_000  # characters searched together: a bound on the memory
SCATTERED: Mapping[int, float] = {1: 0.9, -1: 0.5}
"""What words of an atom of two or three count, by the atom's sign, if a text has them all but not together."""

_WORD = re.compile(r"\b\w\w+\b")


def words_of(texts: Iterable[str]) -> list[str]:
    """Return the distinct words of texts in lower case, without the most common English words."""
    words = (word for text in texts for word in _WORD.findall(text.lower()))
    return [word for word in dict.fromkeys(words) if word not in COMMON_WORDS]


def distinctive_words(atoms: Sequence[QueryAtom]) -> list[list[str]]:
    """Return the words of each atom; in "war films, not spy films", only "spy" distinguishes what is unwanted."""
    wanted = set(stems_of(words_of(atom.text for atom in atoms if atom.sign == 1)).values())
    found = []
    for atom in atoms:
        words = words_of([atom.text])
        stems = stems_of([word for word in words if word not in REQUEST_WORDS] or words)
        found.append([word for word, stem in stems.items() if atom.sign == 1 or stem not in wanted])
    return found


class Mentions(NamedTuple):
    """What N texts say about A atoms, each (A, N).

    Attributes:
        shares: The share of the atom's words that the text mentions, from 0 to 1. Words that are rare in these texts
            weigh more, as in BM25; one that is denied more often than not counts in part.
        denied: The share of its words that the text mentions to deny them ("no onions").
        complete: Whether all words are mentioned; those of an unwanted atom of two or three also near each other.
        other: Whether a word occurs only within another ("egg" in "eggplant"), or in the name of another thing
            ("butter" in "peanut butter").
    """

    shares: Numbers
    denied: Numbers
    complete: NDArray[np.bool_]
    other: NDArray[np.bool_]


def find_mentions(atoms: Sequence[QueryAtom], texts: Sequence[str]) -> Mentions:
    """Return what each text says about each atom; an unwanted atom's words do not count if they are wanted too."""
    terms = Terms(distinctive_words(atoms), [prepared(atom.text) for atom in atoms])
    counts: Counts = np.zeros((3, len(terms.rows), len(texts)), np.int32)
    near = np.zeros((len(terms.pairs), len(texts)), np.bool_)
    for block in _blocks(texts):
        terms.search([text[:LONGEST_TEXT] for text in texts[block]], counts[..., block], near[:, block])
    plain, negated, other = counts  # (R, N) each
    is_said = (plain > 0) & (plain >= negated)
    # One real mention counts in full, whatever else is denied: salt and unsalted butter are not half a mention of salt.
    denied = np.where(is_said, 0, negated / np.maximum(plain + negated, 1))
    mentioned = np.where(is_said, 1, plain / np.maximum(plain + negated, 1))
    often = (plain > 0).sum(axis=1)
    weights = np.log1p((len(texts) - often + 0.5) / (often + 0.5))  # (R,)
    shape = (len(atoms), len(texts))
    found = Mentions(np.zeros(shape), np.zeros(shape), np.zeros(shape, np.bool_), np.zeros(shape, np.bool_))
    for place, (rows, pairs) in enumerate(zip(terms.of_atoms, terms.pairs_of, strict=True)):
        if not rows:
            continue
        share_of = weights[rows] / weights[rows].sum()
        found.denied[place] = share_of @ denied[rows]
        all_said = is_said[rows].all(axis=0)
        together = near[pairs].all(axis=0)
        found.complete[place] = all_said if atoms[place].sign == 1 else all_said & together
        scattered = all_said & ~together
        found.shares[place] = share_of @ mentioned[rows]
        found.shares[place, scattered] *= SCATTERED[atoms[place].sign]
        found.other[place] = (other[rows] > 0).any(axis=0) & (found.shares[place] == 0)
    return found


def _blocks(texts: Sequence[str]) -> Iterator[slice]:
    """Yield the places of texts that are searched together."""
    first = size = 0
    for place, text in enumerate(texts, start=1):
        size += min(len(text), LONGEST_TEXT)
        if size > _BLOCK or place == len(texts):
            yield slice(first, place)
            first, size = place, 0
