"""Readers by name, and several readers in turn."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from boolattn.reading.checked import checked_readings
from boolattn.reading.reading import Reader, Reading
from boolattn.reading.rules.rule_reader import RuleReader
from boolattn.reading.screen import Screen, Screened
from boolattn.reading.syntax import SyntaxReader

ReaderOrName: TypeAlias = Reader | str


class NamedReader(NamedTuple):
    """A reader that a user can name.

    Attributes:
        load: Returns the reader.
        is_screened: Whether it is asked only about queries that pass a screen, where one is named.
    """

    load: Callable[[], Reader]
    is_screened: bool


@cache
def _learned(folder: Path | None = None) -> Reader:
    # Imported when it is asked for: a model and its runtime, which the rules do without.
    learned: Any = import_module("boolattn.reading.learned")
    reader: Reader = learned.load_reader() if folder is None else learned.LearnedReader.load(folder)
    return reader


DEFAULT_READER = "learned"
READERS: dict[str, NamedReader] = {
    "learned": NamedReader(_learned, is_screened=True),
    "rules": NamedReader(cache(RuleReader), is_screened=False),
}


class FirstOf:
    """Tries several readers in turn: each query gets the first reading with an operator, else the last reader's.

    A query that exceeds a limit of one reader is not passed on: the next would understand only some of it.
    """

    def __init__(self, *readers: Reader) -> None:
        """Take the readers in order."""
        if not readers:
            raise ValueError("FirstOf needs at least one reader")
        self._readers = readers

    @property
    def name(self) -> str:
        """The names of all readers; each reading has the name of the one that made it."""
        return ", then ".join(reader.name for reader in self._readers)

    def read(self, queries: Sequence[str]) -> list[Reading]:
        """Read queries, each independently; later readers do not see what earlier ones found."""
        first, *later = self._readers
        readings = checked_readings(first, queries)
        for reader in later:
            places = [place for place, each in enumerate(readings) if not each.operators and not each.unread_reason]
            for place, reading in zip(
                places, checked_readings(reader, [queries[place] for place in places]), strict=True
            ):
                readings[place] = reading
        return readings


def reader_of(reader: ReaderOrName | None = None, syntax: bool = False, *, screen: Screen | None = None) -> Reader:
    """Return the reader that a user names.

    Args:
        reader: ``"learned"``, ``"rules"``, the folder of a trained reader, or a reader object; None is the default.
            Behind a name, a query whose explicit syntax is unmistakable is read as syntax first.
        syntax: Whether all queries are written in the explicit syntax, so that no other reader is asked.
        screen: What the learned reader is asked about, so that it skips most queries: ``"exclusions"`` for a vector,
            which *and* and *or* do not change; ``"conditions"`` for a search; None for every query.
    """
    if syntax:
        return SyntaxReader(always=True)
    if not isinstance(reader, str | None):
        return reader
    return _after_syntax(DEFAULT_READER if reader is None else reader, screen)


@cache
def _after_syntax(name: str, screen: Screen | None) -> Reader:
    named = reader_named(name)
    found = FirstOf(SyntaxReader(), named.load())
    return Screened(found, screen) if screen and named.is_screened else found


def reader_named(name: str) -> NamedReader:
    """Return a reader by its name or by the folder of a trained one."""
    if name in READERS:
        return READERS[name]
    if not Path(name).is_dir():
        raise ValueError(
            f"no reader {name!r}: use one of {', '.join(READERS)}, the folder of a trained reader, or a reader object"
        )
    return NamedReader(partial(_learned, Path(name)), is_screened=False)
