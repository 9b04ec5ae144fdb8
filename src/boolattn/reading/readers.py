"""Which reader reads: by name, and several in turn."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from boolattn.reading.reading import Reader, Reading
from boolattn.reading.rules.rule_reader import RuleReader
from boolattn.reading.syntax import SyntaxReader

ReaderOrName: TypeAlias = Reader | str

DEFAULT_READER = "learned"
READERS = ("learned", "rules")


class FirstOf:
    """Several readers in turn: each query gets the reading of the first that finds an operator, else the last one's."""

    def __init__(self, *readers: Reader) -> None:
        """Take the readers in their order."""
        if not readers:
            raise ValueError("FirstOf needs at least one reader")
        self._readers = readers

    @property
    def name(self) -> str:
        """The names of all; each reading has the name of the one that made it."""
        return ", then ".join(reader.name for reader in self._readers)

    def read(self, queries: Sequence[str]) -> list[Reading]:
        """Read queries, each on its own; what an earlier reader finds is not given to a later one."""
        first, *later = self._readers
        readings = first.read(queries)
        for reader in later:
            places = [place for place, reading in enumerate(readings) if not reading.operators]
            for place, reading in zip(places, reader.read([queries[place] for place in places]), strict=True):
                readings[place] = reading
        return readings


def reader_of(reader: ReaderOrName | None = None, syntax: bool = False) -> Reader:
    """Return the reader that a user names.

    Args:
        reader: ``"learned"``, ``"rules"``, the folder of a trained reader, or a reader object; None is the default.
            Behind a name, a query whose explicit syntax is unmistakable is read as syntax first.
        syntax: Whether all queries are written in the explicit syntax, so that no other reader is asked.
    """
    if syntax:
        return SyntaxReader(always=True)
    if reader is None:
        reader = DEFAULT_READER
    if not isinstance(reader, str):
        return reader
    if reader not in READERS and not Path(reader).is_dir():
        raise ValueError(
            f"no reader {reader!r}: use one of {', '.join(READERS)}, the folder of a trained reader, or a reader object"
        )
    return FirstOf(SyntaxReader(), _model(reader))


@cache
def _model(name: str) -> Reader:
    if name == "rules":
        return RuleReader()
    # Imported when it is asked for: a model and its runtime, which the rules do without.
    learned: Any = import_module("boolattn.reading.learned")
    reader: Reader = learned.load_reader() if name == "learned" else learned.LearnedReader.load(Path(name))
    return reader
