"""One shard: some thousand documents with their vectors, as a Parquet file."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from boolattn.retrieval.index.protocol import Rows, Value, Vectors
from boolattn.retrieval.vectors.manifest import Precision, Shard
from boolattn.retrieval.vectors.parquet import arrow, read_note, read_table, write_table

_NOTE = b"boolattn"


class BadShardError(OSError):
    """A file that is not a whole shard."""


def write_shard(path: str | Path, rows: Rows, precision: Precision, origin: str = "") -> Shard:
    """Write documents, aside and then renamed; the same ones make the same bytes.

    Args:
        path: Where to.
        rows: The documents.
        precision: How to store the vectors; "int8" with a scale for each.
        origin: What these were made from and how, for ``read_origin``.
    """
    pyarrow, path = arrow(), Path(path)
    numbers, scales = _stored(rows.vectors, precision)
    element = pyarrow.field("element", pyarrow.from_numpy_dtype(numbers.dtype), nullable=False)
    texts = {
        "id": rows.ids,
        "title": rows.titles,
        "text": rows.texts,
        "metadata": [msgspec.json.encode(fields, order="sorted").decode() for fields in rows.metadata],
    }
    columns = {name: pyarrow.array(values, pyarrow.string()) for name, values in texts.items()}
    flat = pyarrow.array(numbers.reshape(-1), element.type)
    columns["vector"] = pyarrow.FixedSizeListArray.from_arrays(flat, type=pyarrow.list_(element, rows.vectors.shape[1]))
    if precision == "int8":
        columns["scale"] = pyarrow.array(scales, pyarrow.float32())
    fields = [pyarrow.field(name, column.type, nullable=False) for name, column in columns.items()]
    table = pyarrow.table(list(columns.values()), schema=pyarrow.schema(fields))
    # Parquet has no numbers of one byte: int8 would take four, but as entries of a dictionary takes one.
    dictionary = ["metadata", *(["vector.list.element"] if precision == "int8" else [])]
    write_table(path, table, {_NOTE: origin.encode()}, dictionary)
    return Shard(path.name, len(rows), checksum(path))


def read_shard(path: str | Path) -> Rows:
    """Read documents and their vectors, the latter as float32 whatever the precision."""
    path = Path(path)
    try:
        table = read_table(path)
        numbers = table.column("vector").combine_chunks()
        vectors = numbers.flatten().to_numpy(zero_copy_only=False).reshape(len(table), numbers.type.list_size)
        vectors = vectors.astype(np.float32)
        if "scale" in table.column_names:
            vectors *= table.column("scale").to_numpy()[:, None]
        ids, titles, texts, metadata = (table.column(name).to_pylist() for name in ("id", "title", "text", "metadata"))
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise BadShardError(
            f"{path} is not a whole shard: remove it and run boolattn encode again ({error})"
        ) from error
    decode = msgspec.json.Decoder(dict[str, Value]).decode
    return Rows(ids, titles, texts, vectors, [decode(fields) for fields in metadata], checksum(path))


def read_origin(path: str | Path) -> str:
    """Return what a shard says it was made from and how."""
    try:
        return read_note(Path(path)).get(_NOTE, b"").decode()
    except (OSError, ValueError) as error:
        raise BadShardError(
            f"{path} is not a whole shard: remove it and run boolattn encode again ({error})"
        ) from error


def checksum(path: Path) -> str:
    """Return the sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _stored(vectors: Vectors, precision: Precision) -> tuple[NDArray[Any], NDArray[np.float32] | None]:
    """Return vectors as they are stored, and for "int8" what each is to be multiplied by."""
    if precision != "int8":
        return np.ascontiguousarray(vectors, np.dtype(precision)), None
    scales = np.abs(vectors).max(axis=1, initial=0).astype(np.float32) / np.float32(127)
    scales[scales == 0] = 1
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales
