"""CD-SCO (*SEM 2012): negation cues and scopes, annotated by hand in Conan Doyle's stories."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from boolattn.retrieval.corpus.bad_rows import WHOLE_ROW, BadRowError, Place
from boolattn_lab.formats.lines import number_of, paragraphs, text_of
from boolattn_lab.formats.skipping import SkipBad, keep_good

_TOKEN_COLUMNS = ("story", "sentence", "token", "word", "lemma", "part of speech", "parse")
_MARK_COLUMNS = ("cue", "scope", "event")
_NO_NEGATION = ["***"]
_NO_MARK = "_"

CharacterRange = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Negation:
    """One negation, as character ranges (end exclusive) in the text of its sentence.

    There is one range for each word, or part of a word such as the "un" of "unkind".
    """

    cue: tuple[CharacterRange, ...]
    scope: tuple[CharacterRange, ...]
    event: tuple[CharacterRange, ...]


@dataclass(frozen=True, slots=True)
class CdscoSentence:
    """One sentence and its negations."""

    story: str
    number: int
    words: tuple[str, ...]
    negations: tuple[Negation, ...]

    @property
    def text(self) -> str:
        """The words joined by single spaces; the ranges of negations refer to this text."""
        return " ".join(self.words)


class _Token(NamedTuple):
    place: Place
    story: str
    sentence: str
    word: str
    start: int
    marks: list[str]


def read_cdsco(path: str | Path, skip: SkipBad | None = None) -> Iterator[CdscoSentence]:
    """Read tab-separated tokens, one per line, with blank lines between sentences; a bad line discards its sentence."""
    return keep_good(paragraphs(path), _sentence, skip)


def _sentence(place: Place, lines: list[tuple[Place, bytes]]) -> CdscoSentence:
    tokens = list(_tokens(lines))
    first = tokens[0]
    for token in tokens:
        if len(token.marks) != len(first.marks):
            problem = f"expected {len(first.marks)} columns of marks, as in the sentence's first line"
            raise BadRowError(token.place, WHOLE_ROW, f"{problem}, got {len(token.marks)}")
    negated = 0 if first.marks == _NO_NEGATION else len(first.marks) // len(_MARK_COLUMNS)
    return CdscoSentence(
        story=first.story,
        number=number_of(place, "sentence", first.sentence, int),
        words=tuple(token.word for token in tokens),
        negations=tuple(_negation(tokens, index * len(_MARK_COLUMNS)) for index in range(negated)),
    )


def _tokens(lines: list[tuple[Place, bytes]]) -> Iterator[_Token]:
    start = 0
    for place, line in lines:
        columns = text_of(place, line).split("\t")
        marks = columns[len(_TOKEN_COLUMNS) :]
        if marks != _NO_NEGATION and (not marks or len(marks) % len(_MARK_COLUMNS)):
            expected = f"{', '.join(_TOKEN_COLUMNS)}, then *** or {', '.join(_MARK_COLUMNS)} for each negation"
            raise BadRowError(place, WHOLE_ROW, f"expected the columns {expected}, got {len(columns)} columns")
        story, sentence, _, word, *_ = columns
        yield _Token(place, story, sentence, word, start, marks)
        start += len(word) + 1


def _negation(tokens: list[_Token], first_column: int) -> Negation:
    cue, scope, event = (
        tuple(_ranges(tokens, first_column + offset, name)) for offset, name in enumerate(_MARK_COLUMNS)
    )
    return Negation(cue, scope, event)


def _ranges(tokens: list[_Token], column: int, name: str) -> Iterator[CharacterRange]:
    for token in tokens:
        mark = token.marks[column]
        if mark == _NO_MARK:
            continue
        within = token.word.find(mark)
        if within < 0:
            raise BadRowError(token.place, name, f"expected {_NO_MARK} or a part of {token.word!r}, got {mark!r}")
        yield token.start + within, token.start + within + len(mark)
