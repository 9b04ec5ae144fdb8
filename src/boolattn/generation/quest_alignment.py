"""Where a person's wording of a query says each atom of the formula that it paraphrases.

QUEST gives both: "<mark>Films set in 1917</mark> that are not <mark>War films</mark>" and "Films that aren't about war
that are set in 1917". Word by word, the atoms are found again in the paraphrase; what it leaves out is told by the
rules of negation. This gives scopes on real queries that nobody had to label.

Measured on 50 rows of QUEST's training set, checked by hand: 3 rows have a mistake, in 5 of 120 atoms; none of the 17
negated atoms is wrong.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile

from boolattn.generation.word_matching import content_words, meanings
from boolattn.reading.rules.lexicon import KnownNames, find_cues
from boolattn.reading.rules.negations import negations
from boolattn.reading.spans import Span

_MARK = re.compile(r"<mark>(?P<atom>.*?)</mark>")
_AFTER_HEAD = re.compile(r"\b(?:of|in|on|by|about|from|during|set|shot|based|described|adapted|published)\b")
_BORDER = re.compile(r"[,;?!]\s|\b(?:that|which|who)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AlignedAtom:
    """An atom of the formula and the pieces of the paraphrase that say it.

    Positive atoms may share words ("Nepalese documentary or coming-of-age films"). A negated atom has what is left out
    and no more: in "fish of Bolivia but not of Brazil", *Brazil*.
    """

    text: str
    negated: bool
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """All atoms of a formula found in its paraphrase, with how sure that is, from 0 to 1."""

    atoms: tuple[AlignedAtom, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class Unaligned:
    """A paraphrase in which the atoms cannot be told, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Atom:
    """An atom with its stems in order.

    ``head`` is the stem of the class of things it names, and ``own`` has the stems that no other positive atom has.
    """

    text: str
    negated: bool
    stems: tuple[str, ...]
    head: str
    own: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Said:
    """A word of the paraphrase: the atoms' stems it stands for, and the segment between two cues that it lies in."""

    span: Span
    means: frozenset[str]
    segment: int


def align(query: str, original_query: str) -> Alignment | Unaligned:
    """Find each marked atom of ``original_query`` in its paraphrase ``query``.

    Raises:
        ValueError: If ``original_query`` marks no atom.
    """
    atoms = _marked_atoms(original_query)
    said = _words_said(query, atoms)
    left_out = _left_out(query, said, atoms)
    heads = {atom.head for atom in atoms if not atom.negated}
    chosen = [left_out if atom.negated else _places_of(atom, said, left_out, heads) for atom in atoms]
    for atom, places in zip(atoms, chosen, strict=True):
        if not places or (atom.own and not _stems_at(places, said) & atom.own):
            return Unaligned(f"the paraphrase does not {'leave out' if atom.negated else 'name'} {atom.text!r}")
    confidence = _confidence(said, atoms, chosen)
    aligned = []
    for atom, places in zip(atoms, chosen, strict=True):
        full = places if atom.negated else _with_unmatched(places, said)
        aligned.append(AlignedAtom(atom.text, atom.negated, tuple(_runs(full, said))))
    return Alignment(tuple(aligned), confidence)


def _marked_atoms(original_query: str) -> list[_Atom]:
    marks = list(_MARK.finditer(original_query))
    if not marks:
        raise ValueError(f"No atom is marked in {original_query!r}: write each as <mark>atom</mark>.")
    ends = [0, *(mark.end() for mark in marks)]
    negated = ["not" in original_query[end : mark.start()] for end, mark in zip(ends, marks, strict=False)]
    stems = [tuple(word.stem for word in content_words(mark["atom"])) for mark in marks]
    atoms = []
    for number, mark in enumerate(marks):
        others = (listed for other, listed in enumerate(stems) if other != number and not negated[other])
        own = frozenset(stems[number]).difference(*others)
        before_preposition = _AFTER_HEAD.split(mark["atom"])[0]
        *_, head = ("", *stems[number], *(word.stem for word in content_words(before_preposition)))
        atoms.append(_Atom(mark["atom"], negated[number], stems[number], head, own))
    return atoms


def _words_said(query: str, atoms: Sequence[_Atom]) -> list[_Said]:
    words = content_words(query)
    stems = {stem for atom in atoms for stem in atom.stems}
    cues = find_cues(query, KnownNames(atom.text for atom in atoms))
    borders = [cue.span.start for cue in cues] + [match.start() for match in _BORDER.finditer(query)]
    # Segments are numbered without gaps, since several cues may stand between two words: "that are also both".
    borders_before = [sum(border < word.span.start for border in borders) for word in words]
    numbers = {count: number for number, count in enumerate(sorted(set(borders_before)))}
    return [
        _Said(word.span, means, numbers[count])
        for word, means, count in zip(words, meanings(words, stems), borders_before, strict=True)
    ]


def _left_out(query: str, said: Sequence[_Said], atoms: Sequence[_Atom]) -> set[int]:
    """Return the negated atom's words: those in the scope of a negation, and any next to these that only it has."""
    negated = next((atom for atom in atoms if atom.negated), None)
    if negated is None:
        return set()
    scopes = [negation.scope for negation in negations(query) if negation.excludes]
    places = {
        place
        for place, word in enumerate(said)
        # A word in the scope that means something, and nothing of the negated atom, shows that the scope is too long.
        if any(scope.overlaps(word.span) for scope in scopes)
        and (not word.means or word.means.intersection(negated.stems))
    }
    if places:
        is_own = [bool(word.means & negated.own) for word in said]
        places.update(takewhile(is_own.__getitem__, range(max(places) + 1, len(said))))
        places.update(takewhile(is_own.__getitem__, range(min(places) - 1, -1, -1)))
    return places


def _places_of(atom: _Atom, said: Sequence[_Said], left_out: set[int], heads: set[str]) -> set[int]:
    """Return the places of a positive atom's words; of a word said twice, the one that stands best with the others.

    Where the atom's head is not said, another's stands for it: "moths of Asia and Chad" has "fauna of Chad".
    """
    wanted = [place for place in range(len(said)) if place not in left_out]
    anchors = (
        [place for place in wanted if said[place].means & atom.own] if atom.own else _best_segment(atom, said, wanted)
    )
    places = set()
    for number, stem in enumerate(atom.stems):
        candidates = [place for place in wanted if stem in said[place].means]
        if not candidates and stem == atom.head:
            candidates = [place for place in wanted if said[place].means & heads]
        if candidates and anchors:
            places.add(min(candidates, key=lambda place: _strain(place, number, atom, anchors, said)))
    return places


def _best_segment(atom: _Atom, said: Sequence[_Said], wanted: Sequence[int]) -> list[int]:
    """Return the atom's words in the segment that says most of it, and least else."""

    def fit(segment: int) -> tuple[int, int]:
        words = [word for word in said if word.segment == segment]
        stems = {stem for word in words for stem in word.means}
        return len(stems.intersection(atom.stems)), -len(words)

    best = max({said[place].segment for place in wanted}, key=fit, default=None)
    return [place for place in wanted if said[place].segment == best and said[place].means.intersection(atom.stems)]


def _strain(place: int, number: int, atom: _Atom, anchors: Sequence[int], said: Sequence[_Said]) -> tuple[int, ...]:
    """Say how badly a place suits a stem: by cues in between, an order other than the atom's, words in between."""
    anchor = min(anchors, key=lambda anchor: abs(anchor - place))
    anchor_number = next(other for other, stem in enumerate(atom.stems) if stem in said[anchor].means)
    turned = anchor != place and (number < anchor_number) != (place < anchor)
    return abs(said[anchor].segment - said[place].segment), turned, abs(anchor - place)


def _with_unmatched(places: set[int], said: Sequence[_Said]) -> set[int]:
    """Add the words that no atom has and that stand next to these: "insects from the Carboniferous [period]"."""
    added = set(places)
    for place, word in enumerate(said):
        beside = [other for other in (place - 1, place + 1) if 0 <= other < len(said)]
        neighbour = next((other for other in beside if said[other].segment == word.segment), None)
        if not word.means and neighbour in added:
            added.add(place)
    return added


def _runs(places: set[int], said: Sequence[_Said]) -> Iterator[Span]:
    """Join neighbouring words of one segment to spans."""
    numbered = enumerate(sorted(places))
    for _, run in groupby(numbered, key=lambda pair: (pair[1] - pair[0], said[pair[1]].segment)):
        spans = [said[place].span for _, place in run]
        yield Span(spans[0].start, spans[-1].end)


def _stems_at(places: Iterable[int], said: Sequence[_Said]) -> set[str]:
    return {stem for place in places for stem in said[place].means}


def _confidence(said: Sequence[_Said], atoms: Sequence[_Atom], chosen: Sequence[set[int]]) -> float:
    """Return how much of the worst atom's own words is said, times how many words of the paraphrase say something."""
    shares = []
    for atom, places in zip(atoms, chosen, strict=True):
        stems = _stems_at(places, said)
        needed = atom.own or frozenset(atom.stems)
        if atom.head not in stems and len(needed) > 1:
            needed -= {atom.head}
        shares.append(len(needed & stems) / len(needed))
    return min(shares) * sum(bool(word.means) for word in said) / len(said)
