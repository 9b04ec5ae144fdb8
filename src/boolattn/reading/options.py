"""How queries are read, and which of their exclusions are acted on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from boolattn.reading.caller import caller_reading
from boolattn.reading.readers import DEFAULT_READER, ReaderOrName, reader_of
from boolattn.reading.reading import (
    Documents,
    Reading,
    Strictness,
    exclusions_to_apply,
    require_documents,
    require_strictness,
)
from boolattn.reading.screen import Screened

Exclude: TypeAlias = Sequence[str | Sequence[str] | None]


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """What is the same for all queries of a search, a model or a benchmark.

    Attributes:
        reader: ``"learned"``, ``"rules"`` or a reader of one's own; None is the default.
        documents: What the index holds: ``"things"``, such as films, products and packages, or ``"pages"`` about them.
        strictness: How sure the learned reader must be of an exclusion before it is acted on.
        syntax: Whether all queries are written in the explicit syntax.
        act: Whether exclusions are acted on; off, queries are read and reported, and searched as they are.
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
        """Return the options with some of them changed; None leaves one as it is."""
        return replace(self, **{name: value for name, value in changes.items() if value is not None})

    def read(
        self, queries: Sequence[str], exclude: Exclude | None = None, *, only_exclusions: bool = False
    ) -> list[Reading]:
        """Read queries.

        Args:
            queries: The texts.
            exclude: For each query the words that it excludes, as its caller knows them; None for one that the reader
                is to read. ``[]`` says that no query excludes anything. For a single query, ``["war"]`` will do.
            only_exclusions: Whether *and* and *or* do not matter, as for a vector: the learned reader is then asked
                only about queries that pass the screen.
        """
        reader = reader_of(self.reader, self.syntax)
        if only_exclusions and (self.reader or DEFAULT_READER) == "learned" and not self.syntax:
            reader = Screened(reader)
        if exclude is None:
            return reader.read(queries)
        said = _one_each(queries, exclude)
        unknown = [query for query, each in zip(queries, said, strict=True) if each is None]
        read = iter(reader.read(unknown) if unknown else ())
        return [
            next(read) if each is None else caller_reading(query, each)
            for query, each in zip(queries, said, strict=True)
        ]

    def applied(self, reading: Reading) -> Reading:
        """Return the reading with only those exclusions that are acted on."""
        return reading.keeping(exclusions_to_apply(reading, self.documents, self.strictness) if self.act else ())


def _one_each(queries: Sequence[str], exclude: Exclude) -> list[Sequence[str] | None]:
    """Return what each query excludes, as its caller says."""
    if isinstance(exclude, str):
        raise TypeError(f"exclude is the text {exclude!r}: write exclude=[{exclude!r}]")
    if not exclude:
        return [[] for _ in queries]
    texts = [each for each in exclude if isinstance(each, str)]
    if len(queries) == 1 and len(texts) == len(exclude):
        return [texts]
    if len(queries) != len(exclude):
        raise ValueError(
            f"{len(queries)} queries, but exclude= has {len(exclude)} entries: give one list of words per query, such "
            "as [['war'], []]"
        )
    return [[each] if isinstance(each, str) else each for each in exclude]
