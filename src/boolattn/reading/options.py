"""How queries are read, and which of their exclusions are acted on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeAlias

from boolattn.reading import limits
from boolattn.reading.caller import ExcludedWords, caller_reading
from boolattn.reading.checked import checked_readings, shortened
from boolattn.reading.plan import atoms_in
from boolattn.reading.plan_builder import atoms_of
from boolattn.reading.readers import ReaderOrName, reader_of
from boolattn.reading.reading import (
    Documents,
    Reader,
    Reading,
    Strictness,
    decisions_on,
    exclusions_to_apply,
    require_documents,
    require_strictness,
)
from boolattn.reading.screen import Screen


class Bounded:
    """A reader that is asked only about queries within the limits; the others get a reading that says why not."""

    def __init__(self, reader: Reader) -> None:
        """Bound the queries of a reader."""
        self.reader = reader

    @property
    def name(self) -> str:
        """The reader's own name and version."""
        return self.reader.name

    def read(self, queries: Sequence[str]) -> list[Reading]:
        """Read queries; one that is too long, or has too many atoms, gets no operators."""
        asked = ["" if limits.is_too_long(query) else query for query in queries]
        return [_within_limits(*pair) for pair in zip(queries, checked_readings(self.reader, asked), strict=True)]


def _within_limits(query: str, reading: Reading) -> Reading:
    """Return a reading, or one without operators that says which limit the query exceeds."""
    if limits.is_too_long(query):
        reason = f"it has {len(query):,} characters; at most {limits.LONGEST_QUERY:,} are read"
    elif has_too_many_atoms(reading):
        reason = limits.too_many_atoms()
    else:
        return reading
    return replace(Reading.plain(query, reading.source, reading.reader), unread_reason=reason)


def has_too_many_atoms(reading: Reading) -> bool:
    """Return whether the plan of a reading has more atoms than are acted on; the plan is not made for that."""
    marks = sum(len(spans) for each in (reading.cues, reading.scopes) for spans in each.values())
    # Each mark is an atom at most, with one before it, and one after the last.
    if reading.tree is None and 2 * marks + 1 <= limits.MOST_ATOMS:
        return False
    atoms = atoms_in(reading.tree) if reading.tree else atoms_of(reading.query, reading.cues, reading.scopes)
    return next(islice(atoms, limits.MOST_ATOMS, None), None) is not None


Exclude: TypeAlias = Sequence[str | ExcludedWords | None] | Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """Options shared by all queries of a search, a model or a benchmark.

    Attributes:
        reader: ``"learned"``, ``"rules"`` or a custom reader; None is the default.
        documents: What the index contains: ``"things"``, such as films and products, or ``"pages"`` about them.
        strictness: How sure the learned reader must be of an exclusion before it is acted on.
        syntax: Whether all queries use the explicit syntax.
        act: Whether to act on exclusions; if not, queries are read and reported, but searched unchanged.
    """

    reader: ReaderOrName | None = None
    documents: Documents = "pages"
    strictness: Strictness = "safe"
    syntax: bool = False
    act: bool = True

    def __post_init__(self) -> None:
        require_documents(self.documents)
        require_strictness(self.strictness)

    def changed(self, **changes: Any) -> "ReadingOptions":
        """Return the options with some changed; None keeps an option."""
        return replace(self, **{name: value for name, value in changes.items() if value is not None})

    def read(
        self, queries: Sequence[str], exclude: Exclude | None = None, *, screen: Screen | None = None
    ) -> list[Reading]:
        """Read queries.

        Args:
            queries: The texts.
            exclude: For each query the words that it excludes, as its caller knows them, in the query or not:
                ``["war"]``, or with weights ``{"war": 2}``; None for one that the reader is to read. ``[]`` says that
                no query excludes anything. For a single query, ``["war"]`` or ``{"war": 2}`` will do.
            screen: What the learned reader is asked about: ``"exclusions"`` only about queries that may exclude
                something, for a vector, which *and* and *or* do not change; ``"conditions"`` also about those that may
                demand or offer several things, for a search; None about every query.

        Raises:
            ValueError: If a query is not valid Unicode, or exceeds a limit although the caller says that it is explicit
                syntax or names exclusions. Other queries that exceed a limit get a reading without operators, whose
                ``unread_reason`` says so.
        """
        if isinstance(queries, str):
            raise TypeError(f"queries must be a list: write [{shortened(queries)!r}] instead of a text")
        for query in queries:
            limits.require_unicode(query)
        reader = reader_of(self.reader, self.syntax, screen=screen)
        if not self.syntax:
            reader = Bounded(reader)
        if exclude is None:
            return reader.read(queries)
        said = _one_each(queries, exclude)
        unknown = [query for query, each in zip(queries, said, strict=True) if each is None]
        read = iter(reader.read(unknown) if unknown else ())
        return [
            next(read) if each is None else _named_by_caller(query, each)
            for query, each in zip(queries, said, strict=True)
        ]

    def decided(self, reading: Reading) -> Reading:
        """Return the reading with what happens to each exclusion, and why."""
        return replace(reading, decisions=decisions_on(reading, self.documents, self.strictness, self.act))

    def applied(self, reading: Reading) -> Reading:
        """Return the reading with only the exclusions to act on; with ``act`` off, without any operator."""
        if self.act:
            return reading.keeping(exclusions_to_apply(reading, self.documents, self.strictness))
        plain = Reading.plain(reading.query, reading.source, reading.reader)  # a mechanism acts on *and* and *or* too
        return replace(plain, confidence=reading.confidence, unread_reason=reading.unread_reason)


def _named_by_caller(query: str, words: ExcludedWords) -> Reading:
    if words and limits.is_too_long(query):
        raise ValueError(
            f"exclude= excludes words from a query of {len(query):,} characters, and at most {limits.LONGEST_QUERY:,} "
            "are read: shorten the query, or pass exclude=[] to exclude nothing"
        )
    reading = caller_reading(query, words)
    if has_too_many_atoms(reading):
        raise ValueError(
            f"the query has more than {limits.MOST_ATOMS} wanted and excluded parts, and at most {limits.MOST_ATOMS} "
            "are acted on: exclude fewer"
        )
    return reading


def _one_each(queries: Sequence[str], exclude: Exclude) -> list[ExcludedWords | None]:
    """Return what the caller says each query excludes."""
    if isinstance(exclude, str):
        raise TypeError(f"exclude must be a list: write exclude=[{exclude!r}] instead of {exclude!r}")
    if not exclude:
        return [[] for _ in queries]
    if isinstance(exclude, Mapping):
        exclude = [exclude]
    texts = [each for each in exclude if isinstance(each, str)]
    if len(queries) == 1 and len(texts) == len(exclude):
        return [texts]
    if len(queries) != len(exclude):
        raise ValueError(
            f"{len(queries)} queries, but exclude= has {len(exclude)} entries: pass one list of words per query, such "
            "as [['war'], []]"
        )
    return [[each] if isinstance(each, str) else each for each in exclude]
