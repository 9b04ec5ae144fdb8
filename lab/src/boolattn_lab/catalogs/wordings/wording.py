"""Wordings: sentences with slots for atoms, assembled from labelled pieces so that every span is exact.

A wording is written as a pattern::

    {a.noun} that {not|aren't} {b.are}

``{a.noun}`` is the first atom in the role ``noun`` of ``Phrases``; ``{not|aren't}`` is a cue of the operator "not"
(``{not+or|nor}`` of two); ``{head}`` is the word for the entities; ``<joined a b>`` expands to every fragment of that
name. Two roles depend on the previous atom: ``like`` is a modifier of the same column ("comedy or horror films"),
``apart`` a ``post`` of another column ("comedies from the 1950s", but not "films with X with Y").
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from random import Random
from typing import NamedTuple, TypeAlias

from boolattn.reading.spans import Span
from boolattn_lab.catalogs.atoms import Atom
from boolattn_lab.catalogs.wordings import exclusions
from boolattn_lab.catalogs.wordings.phrasebook import FRAGMENTS, PHRASES, SENTENCES

_MARKUP = re.compile(r"\{(?P<slot>[a-d])\.(?P<role>\w+)\}|\{(?P<operators>[a-z+]+)\|(?P<cue>[^}]+)\}|\{head\}")
_FRAGMENT = re.compile(r"<(?P<name>[a-z-]+)(?P<slots>(?: [a-d])+)>")
_ROLE_IN_PHRASES = {"like": "modifier", "apart": "post"}


class Mentioned(NamedTuple):
    """The piece that names an atom."""

    slot: int
    role: str

    def patterns(self, atoms: Sequence[Atom]) -> tuple[str, ...]:
        """Return how the atom can be phrased here."""
        patterns: tuple[str, ...] = getattr(atoms[self.slot].phrases, _ROLE_IN_PHRASES.get(self.role, self.role))
        return patterns

    def may_follow(self, before: "Mentioned", atoms: Sequence[Atom]) -> bool:
        """Whether the atom can follow the previous one here: "1950s horror films", not "horror 1950s films"."""
        earlier, later = atoms[before.slot], atoms[self.slot]
        if self.role in ("like", "tail"):
            return earlier.column == later.column
        if self.role == "apart":
            return earlier.column != later.column
        if before.role in ("modifier", "like"):
            order = earlier.phrases.modifier_order
            return (self.role != "modifier" or order < later.phrases.modifier_order) and (
                self.role != "core" or order <= later.phrases.core_order
            )
        return True


class CuePhrase(NamedTuple):
    """The piece that expresses an operator."""

    text: str
    operators: tuple[str, ...]


class Head(NamedTuple):
    """The piece with the word for the entities."""


Piece = str | Mentioned | CuePhrase | Head


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text, and the spans of its atoms and cues.

    Attributes:
        text: The text.
        mentions: One span per atom, in the order of the atoms, not of the text.
        cues: Spans by operator; implicit operators are absent.
    """

    text: str
    mentions: tuple[Span, ...]
    cues: dict[str, tuple[Span, ...]]

    def capitalised(self) -> "Rendered":
        """Return a copy with a capital first letter, if this keeps the length."""
        first = self.text[:1].upper()
        return replace(self, text=first + self.text[1:]) if len(first) == 1 else self


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to word an expression.

    Attributes:
        pieces: The sentence, piece by piece.
        mentions: The pieces that name an atom.
        may_be_framed: Whether it is a noun phrase that can follow "show me ..." and the like.
    """

    pieces: tuple[Piece, ...]
    mentions: tuple[Mentioned, ...]
    may_be_framed: bool

    def suits(self, atoms: Sequence[Atom]) -> bool:
        """Whether the atoms have the roles this wording needs."""
        return all(mention.patterns(atoms) for mention in self.mentions) and all(
            mention.may_follow(before, atoms) for before, mention in pairwise(self.mentions)
        )

    def render(
        self,
        atoms: Sequence[Atom],
        head: str,
        choose: Callable[[Sequence[str]], str],
        frame: tuple[str, str] = ("", ""),
    ) -> Rendered:
        """Write the sentence.

        Args:
            atoms: One atom per slot.
            head: The word for the entities.
            choose: Picks one of several phrasings of an atom.
            frame: Texts to put before and after.
        """
        texts = [frame[0]]
        position = len(frame[0])
        chosen: dict[Sequence[str], str] = {}
        mentions: dict[int, Span] = {}
        cues: dict[str, tuple[Span, ...]] = {}
        for piece in self.pieces:
            match piece:
                case Mentioned(slot):
                    patterns = piece.patterns(atoms)
                    # Atoms are phrased the same way if possible: "films from the 1950s or films from the 1960s".
                    pattern = chosen.setdefault(patterns, choose(patterns))
                    text = pattern.format(value=atoms[slot].written, head=head)
                    mentions[slot] = Span(position, position + len(text))
                case CuePhrase(text, operators):
                    for operator in operators:
                        cues[operator] = (*cues.get(operator, ()), Span(position, position + len(text)))
                case Head():
                    text = head
                case str(text):
                    pass
            texts.append(text)
            position += len(text)
        return Rendered("".join((*texts, frame[1])), tuple(mentions[slot] for slot in range(len(mentions))), cues)


WordingsOf: TypeAlias = Callable[[str], Sequence[Wording]]
"""Template -> its wordings."""


@cache
def wordings_of(template: str) -> tuple[Wording, ...]:
    """Return all wordings of a template; the first is canonical and suits any atoms."""
    return parse_wordings(
        [*PHRASES[template], *exclusion_patterns(template, exclusions.PHRASES)],
        [*SENTENCES.get(template, ()), *exclusion_patterns(template, exclusions.SENTENCES)],
    )


def parse_wordings(phrases: Iterable[str], sentences: Iterable[str]) -> tuple[Wording, ...]:
    """Parse patterns: noun phrases, which may be framed, and whole sentences."""
    return (
        *(_parse(pattern, may_be_framed=True) for phrase in phrases for pattern in _expand(phrase)),
        *(_parse(pattern, may_be_framed=False) for sentence in sentences for pattern in _expand(sentence)),
    )


def choose_wording(
    rng: Random,
    template: str,
    atoms: Sequence[Atom],
    *,
    noun_phrase: bool = False,
    wordings: WordingsOf = wordings_of,
) -> Wording:
    """Draw a wording of the template that suits the atoms (there is always one); optionally only noun phrases."""
    while True:
        wording = rng.choice(wordings(template))
        if wording.suits(atoms) and (wording.may_be_framed or not noun_phrase):
            return wording


def exclusion_patterns(template: str, patterns: exclusions.Patterns) -> Iterator[str]:
    """Yield the exclusion patterns that fit the template, with <it> and <they> filled in."""
    exclusion = exclusions.EXCLUSIONS.get(template)
    if exclusion is None:
        return
    of_atoms = {0: (), 1: patterns.of_one_atom, 2: patterns.of_two_atoms}[len(exclusion.atoms)]
    for pattern in (*patterns.of_nouns, *of_atoms):
        renamed = _rename(pattern, "mn", exclusion.atoms)
        yield renamed.replace("<it>", exclusion.it).replace("<they>", exclusion.they)


def _expand(pattern: str) -> Iterator[str]:
    """Yield the pattern with every combination of its fragments."""
    match = _FRAGMENT.search(pattern)
    if match is None:
        yield pattern
        return
    for fragment in FRAGMENTS[match["name"]]:
        renamed = _rename(fragment, "xyz", match["slots"].split())
        yield from _expand(pattern[: match.start()] + renamed + pattern[match.end() :])


def _rename(pattern: str, slots: str, atoms: Sequence[str]) -> str:
    for slot, atom in zip(slots, atoms, strict=False):
        pattern = pattern.replace(f"{{{slot}.", f"{{{atom}.")
    return pattern


def _parse(pattern: str, may_be_framed: bool) -> Wording:
    pieces: list[Piece] = []
    end = 0
    for match in _MARKUP.finditer(pattern):
        pieces.append(pattern[end : match.start()])
        end = match.end()
        if match["slot"]:
            pieces.append(Mentioned("abcd".index(match["slot"]), match["role"]))
        elif match["cue"]:
            pieces.append(CuePhrase(match["cue"], tuple(match["operators"].split("+"))))
        else:
            pieces.append(Head())
    pieces.append(pattern[end:])
    return Wording(
        tuple(piece for piece in pieces if piece != ""),
        tuple(piece for piece in pieces if isinstance(piece, Mentioned)),
        may_be_framed,
    )
