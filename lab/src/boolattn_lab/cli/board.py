"""boolattn-lab evaluate board."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from boolattn.reading.choices import Strictness

if TYPE_CHECKING:
    from boolattn_lab.formats.skipping import SkipBad


def print_board(
    models: Sequence[str] | None,
    data: Path | None,
    skip: "SkipBad | None",
    reader: str | None,
    strictness: Strictness | None,
    backbone: str | None,
    only: Sequence[str],
    seconds: float | None,
    form: Literal["json", "markdown", "table"],
) -> None:
    """Measure models on the board and print it."""
    from boolattn_lab.benchmarks.board import measure_board
    from boolattn_lab.benchmarks.board_output import print_boards
    from boolattn_lab.benchmarks.systems import load_system
    from boolattn_lab.formats.folder import DataFolder

    if not models or data is None:
        raise ValueError(f"the board needs {'--data DIR or BOOLATTN_DATA' if models else '--model MODEL'}")
    systems = [load_system(name, backbone=backbone, reader=reader, strictness=strictness) for name in models]
    print_boards(measure_board(systems, DataFolder(data, skip), only, seconds), form)
