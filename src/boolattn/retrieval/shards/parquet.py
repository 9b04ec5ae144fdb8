"""Parquet files; the only module here that imports pyarrow."""

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from boolattn.retrieval.shards.durable import atomic_write


def arrow(module: str = "pyarrow") -> Any:
    """Import pyarrow or one of its modules."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError("Parquet files need the package pyarrow: pip install 'boolattn[search]'") from error


def write_table(path: Path, table: Any, note: Mapping[bytes, bytes], dictionary: list[str]) -> None:
    """Write to a temporary file, then rename it, so that the file is complete. Equal tables give equal bytes.

    Args:
        path: The output file.
        table: The table.
        note: Metadata to store in the file.
        dictionary: Columns with few distinct values.
    """
    with atomic_write(path) as aside:
        arrow("pyarrow.parquet").write_table(
            table.replace_schema_metadata(note),
            aside,
            version="2.6",
            compression="zstd",
            use_dictionary=dictionary,
            write_statistics=False,
            write_page_checksum=True,
        )


def read_table(content: bytes) -> Any:
    """Read a whole file; a damaged page raises ``OSError``."""
    source = arrow().BufferReader(content)
    return arrow("pyarrow.parquet").read_table(source, page_checksum_verification=True)


def read_note(path: Path) -> dict[bytes, bytes]:
    """Return the metadata stored in a file."""
    with path.open("rb") as file:  # opened by Python, whose errors distinguish an unreadable file from a damaged one
        return arrow("pyarrow.parquet").read_schema(file).metadata or {}


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of any Parquet file, in batches."""
    for batch in arrow("pyarrow.parquet").ParquetFile(path).iter_batches(batch_size=1024):
        yield from batch.to_pylist()
