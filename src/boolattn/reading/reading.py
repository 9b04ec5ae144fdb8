"""Reading: how a query was understood; Reader: makes readings; and which exclusions to act on."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import floor
from typing import Any, Literal, Protocol, TypeAlias, get_args

from boolattn.operators import NOT, OPERATORS
from boolattn.reading.choices import Documents as Documents
from boolattn.reading.choices import Strictness as Strictness
from boolattn.reading.limits import LONGEST_EXCLUDED, LONGEST_QUERY
from boolattn.reading.plan import AllOf, BooleanPlan, PlanNode, QueryAtom, join, weighted
from boolattn.reading.plan import Source as Source
from boolattn.reading.plan_builder import tree_of, wanted_text
from boolattn.reading.rules.negations import first_negation
from boolattn.reading.spans import Span, has_word

Kind: TypeAlias = Literal["topic", "property"]

Thresholds: TypeAlias = Mapping[Documents, Mapping[Strictness, float]]
"""How sure a reader must be of an exclusion before anything acts on it."""

CALLER: Source = "caller"


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Something a query excludes.

    Attributes:
        span: Where the query names it, in whole words; None if its words are not in the query.
        text: Its words; a reading fills them in where the query has them.
        weight: How often it is subtracted from the query's vector.
        kind: ``"topic"``: the answer should not be about it ("other than Django"). ``"property"``: a condition on the
            thing asked for ("films that are not comedies"), which pages about such things discuss anyway.
        confidence: How likely it is right to act on it where documents are things, from 0 to 1.
        topic_confidence: The same where documents are pages; None if the reader is certain of the kind.
    """

    span: Span | None
    kind: Kind
    confidence: float
    topic_confidence: float | None = None
    text: str = ""
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.span is None and not self.text:
            raise ValueError("an exclusion needs a place in the query, a text, or both")

    def within(self, query: str) -> "Exclusion":
        """Return the exclusion with the query's own words, if they are in it."""
        text = self.span.of(query) if self.span else self.text
        return self if text == self.text else replace(self, text=text)

    def over(self, documents: Documents) -> float:
        """Return how likely it is right to act on the exclusion for such documents.

        If a document is the thing asked for, both topics and properties are acted on; for pages, only topics.
        """
        if documents == "things":
            return self.confidence
        if self.topic_confidence is not None:
            return self.topic_confidence
        return self.confidence if self.kind == "topic" else 0.0


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens to an exclusion that was seen, and why.

    Attributes:
        exclusion: What was seen.
        confidence: The number that decided: how likely it is right to act on it for these documents.
        needed: The least confidence that is acted on.
        why_not: Why it is not applied, and what would apply it; empty if it is applied.
    """

    exclusion: Exclusion
    confidence: float
    needed: float
    why_not: str = ""

    @property
    def is_applied(self) -> bool:
        """Whether the exclusion is acted on."""
        return not self.why_not


@dataclass(frozen=True)
class Reading:
    """A reader's understanding of a query, as plain data.

    Attributes:
        query: The text.
        operators: The names of the operators that the query contains. A conjunction may have no cue, as in "1956 debut
            novels"; *or* and *not* always have one.
        cues: For each operator's name, the words that express it.
        scopes: For each operator's name, the words it applies to: the sides of *and* and *or*, what *not* excludes.
        exclusions: What the query excludes, in text order, then what is not in it. Every scope of *not* is one of them.
        confidence: How sure the reader is. Calibrated: of readings with 0.9, nine in ten are right.
        source: Where the reading comes from.
        reader: The reader's name and version.
        tree: How the parts combine, exactly, where the query is written in the explicit syntax.
        unread_reason: Why nothing was read, if the query exceeds a limit (``boolattn.reading.limits``); else empty.
        thresholds: How sure the reader must be, if its confidences were measured; None if they were not. Whoever uses
            such a reader has chosen to act on what it excludes.
        decisions: What happens to each exclusion, from ``ReadingOptions.decided``; None if nobody has decided yet.
    """

    query: str
    operators: frozenset[str]
    cues: Mapping[str, tuple[Span, ...]]
    scopes: Mapping[str, tuple[Span, ...]]
    exclusions: tuple[Exclusion, ...]
    confidence: float
    source: Source
    reader: str
    tree: PlanNode | None = None
    unread_reason: str = ""
    thresholds: Thresholds | None = field(default=None, compare=False, repr=False)
    decisions: tuple[Decision, ...] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "exclusions", tuple(each.within(self.query) for each in self.exclusions))

    @classmethod
    def plain(cls, query: str, source: Source, reader: str) -> "Reading":
        """Return the reading of a query without operators."""
        nothing: dict[str, tuple[Span, ...]] = dict.fromkeys(OPERATORS, ())
        return cls(query, frozenset(), nothing, nothing, (), 1.0, source, reader)

    @property
    def is_named_by_caller(self) -> bool:
        """Whether its exclusions were named by the caller."""
        return self.source == CALLER and bool(self.exclusions)

    @property
    def applied(self) -> tuple[Exclusion, ...]:
        """The exclusions that are acted on: all, if nobody has decided yet."""
        if self.decisions is None:
            return self.exclusions
        return tuple(each.exclusion for each in self.decisions if each.is_applied)

    @property
    def not_applied(self) -> tuple[Decision, ...]:
        """What was seen and is not acted on, and why."""
        return tuple(each for each in self.decisions or () if not each.is_applied)

    @property
    def remarks(self) -> list[str]:
        """What a person should know of what is not acted on, one sentence each: the same on every surface."""
        found = [f"Not read: {self.unread_reason}."] if self.unread_reason else []
        if kept := self.kept_negation:
            told = f'Nothing is excluded: the reader takes "{kept["cue"]}" for part of what is asked'
            text = kept["text"]
            found.append(told + (f'; exclude=[{text!r}] excludes "{text}".' if text else "."))
        not_applied = ((each.exclusion.text, each.why_not) for each in self.not_applied)
        return found + [f'Not applied: "{text}": {why_not}.' for text, why_not in not_applied]

    @cached_property
    def kept_negation(self) -> dict[str, str]:
        """The first negation of a query of which the reader excludes nothing, as its ``cue`` and the ``text`` after it.

        Whoever wrote "films without war" may have meant an exclusion. Empty if there is none, or the caller decided.
        """
        if self.decisions is None or self.exclusions or self.unread_reason or self.source == CALLER:
            return {}
        if (found := first_negation(self.query)) is None:
            return {}
        text = found.scope.of(self.query)
        return {
            "cue": found.cue.of(self.query),
            "text": text if has_word(text) and len(text) <= LONGEST_EXCLUDED else "",
        }

    def keeping(self, exclusions: Collection[Exclusion]) -> "Reading":
        """Return the reading with only some of its exclusions; with none, *not* is removed."""
        if len(exclusions) == len(self.exclusions):
            return self if len(self.applied) == len(self.exclusions) else replace(self, decisions=None)
        chosen = {each.within(self.query) for each in exclusions}
        kept = tuple(each for each in self.exclusions if each in chosen)
        dropped = {self._cue_of(each) for each in self.exclusions if each not in chosen}
        dropped -= {self._cue_of(each) for each in kept}
        cues = tuple(cue for cue in self.cues[NOT.name] if kept and cue not in dropped)
        return replace(
            self,
            operators=self.operators if kept else self.operators - {NOT.name},
            cues={**self.cues, NOT.name: cues},
            scopes={**self.scopes, NOT.name: tuple(each.span for each in kept if each.span)},
            exclusions=kept,
            tree=None,  # it contains every exclusion
            decisions=None,
        )

    def _cue_of(self, exclusion: Exclusion) -> Span | None:
        """Return the words that express an exclusion: those before it, else those after it."""
        if exclusion.span is None:
            return None
        before = [cue for cue in self.cues[NOT.name] if cue.start <= exclusion.span.start]
        return max(before) if before else min(self.cues[NOT.name], default=None)

    @property
    def wanted_text(self) -> str:
        """The query without what is excluded, as a vector encodes it; empty if it wants nothing."""
        if self.tree is not None:
            return " ".join(atom.text for atom in self.plan().positives)
        reading = self if len(self.applied) == len(self.exclusions) else self.keeping(self.applied)
        if any(spans for each in (reading.cues, reading.scopes) for spans in each.values()):
            return wanted_text(reading.query, reading.cues, reading.scopes)
        return reading.query

    def plan(self) -> BooleanPlan:
        """Return what is wanted and what is excluded, and how the parts combine; without what is not applied."""
        return self._plan if len(self.applied) == len(self.exclusions) else self.keeping(self.applied).plan()

    @cached_property
    def _plan(self) -> BooleanPlan:  # built once: the vector, the words and the explanation of a search all ask for it
        # Of a longer text, the beginning: encoders read no more, and nobody searches for so many words.
        whole = QueryAtom.at(self.query, Span(0, min(len(self.query), LONGEST_QUERY)))
        tree = self.tree or self._with_exclusions(tree_of(self.query, self.cues, self.scopes) or whole)
        return BooleanPlan(self.query, tree, self.confidence, self.source, self.reader)

    def _with_exclusions(self, tree: PlanNode) -> PlanNode:
        """Return the tree of the query with the weights of exclusions, and with those that are not in the query."""
        weights = {each.span: each.weight for each in self.exclusions if each.span}
        if any(weight != 1 for weight in weights.values()):
            tree = weighted(tree, weights)
        others = (each for each in self.exclusions if each.span is None and self.plans(each))
        added = [QueryAtom(each.text, None, -1, each.weight) for each in others]
        return join(AllOf, [tree, *added] if self.query.strip() else added or [tree])

    def plans(self, exclusion: Exclusion) -> bool:
        """Whether the plan contains an exclusion: only explicit syntax excludes what has no words, such as "++"."""
        return self.tree is not None or has_word(exclusion.text)

    def to_dict(self) -> dict[str, Any]:
        """Return the reading as JSON values."""
        cues, scopes = (
            {name: [list(span) for span in spans] for name, spans in each.items() if spans}
            for each in (self.cues, self.scopes)
        )
        return {
            "query": self.query,
            "operators": sorted(self.operators),
            "cues": cues,
            "scopes": scopes,
            "exclusions": [self._exclusion_dict(each) for each in self.exclusions],
            "confidence": self.confidence,
            "source": self.source,
            "reader": self.reader,
            **({"unread_reason": self.unread_reason} if self.unread_reason else {}),
            **({"remarks": self.remarks} if self.decisions is not None else {}),
            **({"kept_negation": self.kept_negation} if self.kept_negation else {}),
        }

    def _exclusion_dict(self, exclusion: Exclusion) -> dict[str, Any]:
        found: dict[str, Any] = {
            "text": exclusion.text,
            "span": list(exclusion.span) if exclusion.span else None,
            "kind": exclusion.kind,
            **({"weight": exclusion.weight} if exclusion.weight != 1 else {}),
        }
        if self.decisions is None:
            return found | {"confidence": exclusion.confidence}
        decision = next(each for each in self.decisions if each.exclusion is exclusion)
        found |= {"confidence": decision.confidence, "needed": decision.needed, "applied": decision.is_applied}
        return found | ({"why_not": decision.why_not} if decision.why_not else {})


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
    """Return the exclusions to act on: those that ``decisions_on`` applies."""
    return tuple(each.exclusion for each in decisions_on(reading, documents, strictness) if each.is_applied)


def decisions_on(
    reading: Reading, documents: Documents = "pages", strictness: Strictness = "safe", act: bool = True
) -> tuple[Decision, ...]:
    """Decide on each exclusion: one decision for vectors, word search, verification, explanation and evaluation.

    A false exclusion ruins a good answer; a missed one costs no more than a plain embedding model. So the learned
    reader's exclusions apply only above a threshold, one for things and one for pages, and properties only if a
    document is the thing asked for. Those of callers, explicit syntax and rules have no measured confidence: whoever
    uses them has chosen to act. An exclusion that no plan contains, because it has no words, applies nowhere.

    Args:
        reading: What was understood.
        documents: What the index contains: ``"things"``, such as films and products, or ``"pages"`` about them.
        strictness: How sure the learned reader must be.
        act: Whether to act on anything.
    """
    require_documents(documents)
    require_strictness(strictness)
    needed = reading.thresholds[documents][strictness] if reading.thresholds else 0.0
    found = []
    for each in reading.exclusions:
        confidence = each.over(documents)
        if not act:
            why_not = "act is off, so queries are read but not acted on"
        elif not reading.plans(each):
            why_not = "it has no words"
        elif 0 < confidence >= needed:
            why_not = ""
        else:
            why_not = _why_not(reading, each, documents, strictness)
        found.append(Decision(each, confidence, needed, why_not))
    return tuple(found)


def _why_not(reading: Reading, exclusion: Exclusion, documents: Documents, strictness: Strictness) -> str:
    """Return why an exclusion is not applied, with the number that decided, and what would apply it."""
    named = f"exclude=[{exclusion.text!r}]"
    if reading.thresholds is None:
        return f"a property, which pages discuss anyway: documents='things' or {named} applies it"
    confidence, thresholds = exclusion.over(documents), reading.thresholds[documents]
    seen = floor(100 * confidence + 1e-6) / 100  # 0.779 does not reach 0.78, and must not look as if it did
    why = f"seen at {seen:.2f}; {strictness} needs {thresholds[strictness]:.2f} for {documents}"
    over_things = exclusion.over("things") >= reading.thresholds["things"][strictness]
    if documents == "pages" and exclusion.kind == "property" and over_things:
        return f"{why}; a property, which pages discuss anyway: documents='things' or {named} applies it"
    lower = [name for name, least in thresholds.items() if confidence >= least]
    return f"{why}: " + (f"strictness={lower[0]!r} or " if lower else "") + f"{named} applies it"


def require_documents(documents: str) -> None:
    """Raise if ``documents`` is unknown."""
    if documents not in get_args(Documents):
        raise ValueError(f"documents is {documents!r}: use one of {', '.join(get_args(Documents))}")


def require_strictness(strictness: str) -> None:
    """Raise if ``strictness`` is unknown."""
    if strictness not in get_args(Strictness):
        raise ValueError(f"strictness is {strictness!r}: use one of {', '.join(get_args(Strictness))}")
