"""Reading: what was understood of a query; Reader: who understands; which exclusions are acted on."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias, get_args

from boolattn.operators import NOT, OPERATORS
from boolattn.reading.spans import Span

Kind: TypeAlias = Literal["topic", "property"]
Documents: TypeAlias = Literal["things", "pages"]
Strictness: TypeAlias = Literal["safe", "balanced", "sensitive"]
Source: TypeAlias = Literal["caller", "syntax", "rules", "learned", "mechanism"]

THRESHOLDS: dict[str, float] = {"safe": 0.9, "balanced": 0.7, "sensitive": 0.4}
"""How sure the learned reader must be of an exclusion before anything acts on it."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Something a query excludes.

    Attributes:
        span: Where the query names it, in whole words.
        kind: ``"topic"``: the answer should not be about it ("other than Django"). ``"property"``: a condition on the
            thing asked for ("films that are not comedies"), which pages about such things discuss anyway.
        confidence: How likely the exclusion is right, from 0 to 1.
    """

    span: Span
    kind: Kind
    confidence: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader understands of a query, as plain data.

    Attributes:
        query: The text.
        operators: The names of the operators that the query holds. A conjunction may have no cue, as in "1956 debut
            novels"; *or* and *not* always have one.
        cues: For each operator's name, the words that express it.
        scopes: For each operator's name, the words it applies to: the sides of *and* and *or*, what *not* excludes.
        exclusions: What the query excludes, in the order of the text. Every scope of *not* is one of them.
        confidence: How sure the reader is. Calibrated: of readings with 0.9, nine in ten are right.
        source: Where the reading comes from.
        reader: The reader's name and version.
    """

    query: str
    operators: frozenset[str]
    cues: Mapping[str, tuple[Span, ...]]
    scopes: Mapping[str, tuple[Span, ...]]
    exclusions: tuple[Exclusion, ...]
    confidence: float
    source: Source
    reader: str

    @classmethod
    def plain(cls, query: str, source: Source, reader: str, confidence: float = 1.0) -> "Reading":
        """Return the reading of a query that holds no operator."""
        nothing: dict[str, tuple[Span, ...]] = dict.fromkeys(OPERATORS, ())
        return cls(query, frozenset(), nothing, nothing, (), confidence, source, reader)

    def keeping(self, exclusions: Collection[Exclusion]) -> "Reading":
        """Return the reading with only some of its exclusions; with none of them, *not* is gone."""
        if len(exclusions) == len(self.exclusions):
            return self
        kept = tuple(each for each in self.exclusions if each in exclusions)
        cues = dict(self.cues) | ({} if kept else {NOT.name: ()})
        scopes = dict(self.scopes) | {NOT.name: tuple(each.span for each in kept)}
        operators = self.operators if kept else self.operators - {NOT.name}
        return replace(self, operators=operators, cues=cues, scopes=scopes, exclusions=kept)


class Reader(Protocol):
    """Understands queries."""

    @property
    def name(self) -> str:
        """Name and version, as readings and results report it."""
        ...

    def read(self, queries: Sequence[str]) -> list[Reading]:
        """Read queries, each on its own."""
        ...


def exclusions_to_apply(
    reading: Reading, documents: Documents = "pages", strictness: Strictness = "safe"
) -> tuple[Exclusion, ...]:
    """Return the exclusions to act on: the one decision behind vectors, word search, verification and evaluation.

    A false exclusion ruins a good answer; a missed one costs what any embedding model costs. So the learned reader
    acts only above a threshold, and on a property only where a document is the thing asked for. What callers,
    explicit syntax and rules exclude has no measured confidence to compare: whoever uses them has chosen to act.

    Args:
        reading: What was understood.
        documents: What the index holds: ``"things"``, such as films, products and packages, or ``"pages"`` about them.
        strictness: How sure the learned reader must be.
    """
    if documents not in get_args(Documents):
        raise ValueError(f"documents is {documents!r}: use one of {', '.join(get_args(Documents))}")
    if strictness not in THRESHOLDS:
        raise ValueError(f"strictness is {strictness!r}: use one of {', '.join(THRESHOLDS)}")
    least = THRESHOLDS[strictness] if reading.source == "learned" else 0.0
    return tuple(
        each
        for each in reading.exclusions
        if each.confidence >= least and (each.kind == "topic" or documents == "things")
    )
