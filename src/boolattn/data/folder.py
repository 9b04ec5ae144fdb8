"""Where the data of benchmarks and trainings is kept."""

from pathlib import Path
from typing import NamedTuple

from boolattn.data.rows.bad_rows import SkipBad


class DataFolder(NamedTuple):
    """A folder of data, and whether its bad rows are skipped."""

    path: Path
    skip: SkipBad | None = None
