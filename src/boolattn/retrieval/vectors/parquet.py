"""Parquet files, by pyarrow, which is imported nowhere else here."""

import importlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def arrow(module: str = "pyarrow") -> Any:
    """Import pyarrow or a part of it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError("Parquet files need the package pyarrow: pip install boolattn[search]") from error


def write_table(path: Path, table: Any, note: Mapping[bytes, bytes], dictionary: list[str]) -> None:
    """Write aside, then rename: a file under its own name is complete. Equal tables make equal bytes.

    Args:
        path: Where to.
        table: The table.
        note: Kept in the file beside the columns.
        dictionary: The columns of few different values.
    """
    aside = path.with_name(f"{path.name}.{os.getpid()}.part")
    arrow("pyarrow.parquet").write_table(
        table.replace_schema_metadata(note),
        aside,
        version="2.6",
        compression="zstd",
        use_dictionary=dictionary,
        write_statistics=False,
        write_page_checksum=True,
    )
    with aside.open("rb") as file:
        os.fsync(file.fileno())  # a rename may reach the disk before what was renamed
    aside.replace(path)


def read_table(path: Path) -> Any:
    """Read a whole file; a page that is not what was written is an ``OSError``."""
    return arrow("pyarrow.parquet").read_table(path, page_checksum_verification=True, partitioning=None)


def read_note(path: Path) -> dict[bytes, bytes]:
    """Return what was kept beside the columns."""
    return arrow("pyarrow.parquet").read_schema(path).metadata or {}


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of any Parquet file, some at a time in memory."""
    for batch in arrow("pyarrow.parquet").ParquetFile(path).iter_batches(batch_size=1024):
        yield from batch.to_pylist()
