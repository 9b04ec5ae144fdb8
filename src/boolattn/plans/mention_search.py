"""Find every mention of some words in many texts at once, and count what each mention says."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boolattn.plans.contexts import Mention, mention_at, prepared
from boolattn.plans.word_forms import SHORTEST_PART, denied_words, other_forms, says_removed, stems_of

Counts: TypeAlias = NDArray[np.int32]
"""(3, R, N): for each kind of ``Mention``, each row (a word) and each text, how often."""
_Places: TypeAlias = NDArray[np.int64]

MOST_SEARCHES = 80
"""Up to this many word beginnings, one search for each is faster than one pass for all."""
_MOST_CHECKED = 4  # mentions by one form of a word in a text; the first ones decide
_LONGEST_NAME = 3  # words; those of longer atoms need not be near each other
_NEAR, _NEAR_REVERSED = 8, 2  # characters between two words of one name: "peanut and almond butter", "butter, peanut"
_APART, _APART_REVERSED = re.compile(r"[\n,;.:]"), re.compile(r"[\n;.:]")


class _Spans(NamedTuple):
    """Mentions by one form of a word: where they start, how long they are, and in which texts (M,)."""

    starts: _Places
    length: int
    text_of: _Places


class Terms:
    """The words of all atoms, and how to find them.

    Attributes:
        rows: A row for each stem. A stem that an atom itself denies ("sugar-free") has another, which takes every
            mention as it is.
        of_atoms: The rows of each atom's words.
        pairs: Rows of two words that follow each other in an atom of two or three.
        pairs_of: Places in ``pairs``, for each atom.
    """

    def __init__(self, words: Sequence[Sequence[str]], texts: Sequence[str]) -> None:
        """Prepare a search.

        Args:
            words: Of each atom, in their order.
            texts: Of each atom, prepared.
        """
        self.rows: dict[tuple[str, bool], int] = {}
        self.pairs: list[tuple[int, int]] = []
        self.of_atoms: list[list[int]] = []
        self.pairs_of: list[list[int]] = []
        self._closed: dict[str, list[int]] = defaultdict(list)  # the stem of a pair written as one word: its places
        self._open: dict[str, list[int]] = defaultdict(list)  # words that may be written as two: their rows
        self._participles: dict[str, set[int]] = defaultdict(set)  # rows whose atoms ask for this very participle
        self._beginnings: set[str] = set()
        stems = stems_of({word for each in words for word in each})
        joined = stems_of({a + b for each in words for a, b in pairwise(each)})
        for each, text in zip(words, texts, strict=True):
            row_of = {word: self._row(word, stems[word], _is_literal(word, text)) for word in each}
            self.of_atoms.append(sorted(set(row_of.values())))
            pairs = list(pairwise(each)) if len(each) <= _LONGEST_NAME else []
            self.pairs_of.append(list(range(len(self.pairs), len(self.pairs) + len(pairs))))
            for a, b in pairs:
                self._closed[joined[a + b]].append(len(self.pairs))
                self._beginnings.add(_beginning(joined[a + b]))
                self.pairs.append((row_of[a], row_of[b]))
        self._literal = {row for (_, literal), row in self.rows.items() if literal}
        self._of_stem: dict[str, list[int]] = defaultdict(list)
        for (stem, _), row in self.rows.items():
            self._of_stem[stem].append(row)

    def _row(self, word: str, stem: str, literal: bool) -> int:
        row = self.rows.setdefault((stem, literal), len(self.rows))
        self._beginnings |= {_beginning(each) for each in (stem, *other_forms(word))}
        if says_removed(word, stem):
            self._participles[word].add(row)
        if len(word) >= 2 * SHORTEST_PART:
            self._open[word].append(row)
        return row

    def search(self, texts: Sequence[str], counts: Counts, near: NDArray[np.bool_]) -> None:
        """Count the mentions in texts in ``counts``, and mark in ``near`` (P, N) where pairs are close together."""
        lowered = [prepared(text) for text in texts]
        joined, starts = "\n".join(lowered), np.cumsum([0, *(len(text) + 1 for text in lowered[:-1])])
        places: dict[str, list[int]] = defaultdict(list)
        # Only words that begin like a stem are stemmed.
        for pattern in _patterns(self._beginnings):
            for match in re.finditer(pattern, joined):
                places[match[0]].append(match.start())
        stems = stems_of({piece for word in places for piece in (word, *denied_words(word))})
        found: dict[int, list[_Spans]] = defaultdict(list)  # by row
        for word, where in places.items():
            if not (counted := self._counted(word, stems)) and not self._may_be_open(word):
                continue
            spans = _first_of_each(np.array(where), len(word), starts)
            self._count_open(word, spans, joined, counts)
            for row in self._count(word, stems[word], counted, spans, joined, counts, near):
                found[row].append(spans)
        for pair, (a, b) in enumerate(self.pairs):
            if a in found and b in found:
                near[pair, np.searchsorted(starts, _together(found[a], found[b], joined), side="right") - 1] = True

    def _counted(self, word: str, stems: Mapping[str, str]) -> dict[int, Mention | None]:
        """Return the rows that a word counts for, and as what; None if that depends on its surroundings."""
        stem = stems[word]
        rows: dict[int, Mention | None] = dict.fromkeys(self._of_stem.get(stem, ()))
        for pair in self._closed.get(stem, ()):
            rows |= dict.fromkeys(self.pairs[pair])
        if rows:
            removed = says_removed(word, stem)
            asked = self._participles.get(word, set())
            return {
                row: Mention.PLAIN
                if row in self._literal
                else Mention.NEGATED
                if removed and row not in asked
                else None
                for row in rows
            }
        for bare in denied_words(word):
            if denied := set(self._of_stem.get(stems[bare], ())) - self._literal:
                return dict.fromkeys(denied, Mention.NEGATED)
        within = (
            row
            for (stem, _), row in self.rows.items()
            if word.startswith(stem) and len(word) - SHORTEST_PART >= len(stem) >= SHORTEST_PART
        )
        return dict.fromkeys(within, Mention.OTHER)

    def _count(
        self,
        word: str,
        stem: str,
        counted: Mapping[int, Mention | None],
        spans: _Spans,
        joined: str,
        counts: Counts,
        near: NDArray[np.bool_],
    ) -> list[int]:
        """Count the mentions by one word, and return the rows of which it is a form."""
        for pair in self._closed.get(stem, ()):
            near[pair, spans.text_of] = True
        depends = [row for row, kind in counted.items() if kind is None]
        if depends:
            length = len(word)
            kinds = np.array([mention_at(joined, start, start + length) for start in spans.starts.tolist()])
            for row in depends:
                np.add.at(counts[:, row], (kinds, spans.text_of), 1)
        for row, kind in counted.items():
            if kind is not None:
                np.add.at(counts[kind, row], spans.text_of, 1)
        return self._of_stem.get(stem, [])

    def _may_be_open(self, word: str) -> bool:
        return any(_is_first_half(word, whole) for whole in self._open)

    def _count_open(self, word: str, spans: _Spans, joined: str, counts: Counts) -> None:
        """Count words that a text writes as two: "air fryer" for "airfryer"."""
        for whole, rows in self._open.items():
            if not _is_first_half(word, whole):
                continue
            rest = re.compile(rf"[ -]{re.escape(whole[len(word) :])}(?:s|es)?\b")
            for start, text in zip(spans.starts.tolist(), spans.text_of.tolist(), strict=True):
                if match := rest.match(joined, start + len(word)):
                    counts[mention_at(joined, start, match.end()), rows, text] += 1


def _is_literal(word: str, text: str) -> bool:
    """Whether an atom itself denies a word, or makes it another thing: "sugar" in "sugar-free cookies"."""
    found = re.search(rf"\b{re.escape(word)}\b", text)
    return found is not None and mention_at(text, *found.span()) is not Mention.PLAIN


def _is_first_half(word: str, whole: str) -> bool:
    return whole.startswith(word) and len(whole) - SHORTEST_PART >= len(word) >= SHORTEST_PART


def _first_of_each(where: _Places, length: int, starts: _Places) -> _Spans:
    """Return the first few mentions in each text."""
    text_of = np.searchsorted(starts, where, side="right") - 1
    few = np.arange(len(where)) - np.searchsorted(text_of, text_of, side="left") < _MOST_CHECKED
    return _Spans(where[few], length, text_of[few])


def _together(one: Sequence[_Spans], other: Sequence[_Spans], joined: str) -> list[int]:
    """Return where two words are close, in the same clause: "peanut butter", "butter, peanut"."""
    found = []
    for before, after, gap, apart in ((one, other, _NEAR, _APART), (other, one, _NEAR_REVERSED, _APART_REVERSED)):
        ends = np.sort(np.concatenate([each.starts + each.length for each in before]))
        starts = np.concatenate([each.starts for each in after])
        previous = ends[np.maximum(np.searchsorted(ends, starts, side="right") - 1, 0)]
        close = (previous <= starts) & (starts - previous <= gap)
        pairs = zip(previous[close].tolist(), starts[close].tolist(), strict=True)
        found += [start for end, start in pairs if not apart.search(joined, end, start)]
    return found


def _beginning(stem: str) -> str:
    """Return the first letters of all words with a stem: stemming changes the last ones ("dying" to "die")."""
    return stem[0] if re.fullmatch(r"\wie", stem) else stem[: min(3, max(1, len(stem) - 1))]


def _patterns(beginnings: set[str]) -> list[str]:
    """Return the patterns that together match every word with one of these beginnings, also after "non" and "un"."""
    if not beginnings:
        return []
    if len(beginnings) > MOST_SEARCHES:  # a long query: all of them, and some other words, in one pass
        first = {beginning[0] for beginning in beginnings} | {"n", "u"}
        return [rf"\b[{re.escape(''.join(sorted(first)))}]\w*"]
    shortest = sorted(each for each in beginnings if not each.startswith(tuple(beginnings - {each})))
    escaped = list(map(re.escape, shortest))
    # A pattern that starts with letters, and only then looks back for the beginning of a word, is a fast search for
    # these letters.
    denied = [rf"{prefix}(?<=\b{prefix})(?:{'|'.join(escaped)})\w*" for prefix in ("non", "un")]
    return [rf"{each}(?<=\b{each})\w*" for each in escaped] + denied
