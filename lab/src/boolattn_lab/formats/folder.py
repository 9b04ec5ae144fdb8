"""The folder with benchmark and training data."""

from pathlib import Path
from typing import NamedTuple

from boolattn_lab.formats.skipping import SkipBad


class DataFolder(NamedTuple):
    """A data folder, and whether to skip bad rows."""

    path: Path
    skip: SkipBad | None = None
