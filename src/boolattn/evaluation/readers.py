"""Readers by name: what a user writes after ``--reader``."""

from importlib import import_module
from pathlib import Path

from boolattn.reading.readers import READERS, FirstOf, reader_of
from boolattn.reading.reading import Reader
from boolattn.reading.syntax_reader import SyntaxReader


def load_reader(name: str | None = None) -> Reader:
    """Load the default reader, ``rules``, ``learned``, or a trained one from its folder.

    As in a search, a query whose explicit syntax is unmistakable is read as syntax first.
    """
    if name is None or name in READERS:
        return reader_of(name)
    if not Path(name).is_dir():
        raise ValueError(f"no reader {name!r}: use {', '.join(READERS)}, or the folder of a trained reader")
    # Imported when it is asked for: a model and its runtime, which the rules do without.
    learned: Reader = import_module("boolattn.reading.learned").LearnedReader.load(Path(name))
    return FirstOf(SyntaxReader(), learned)
