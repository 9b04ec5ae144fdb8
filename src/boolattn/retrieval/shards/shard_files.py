"""One shard: a few thousand documents with their vectors, as a Parquet file."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from boolattn.reading.model_files import file_digest
from boolattn.retrieval.index.protocol import Rows, Value, Vectors
from boolattn.retrieval.shards.manifest import Precision, Shard
from boolattn.retrieval.shards.parquet import arrow, read_note, read_table, write_table

_NOTE = b"boolattn"


class BadShardError(OSError):
    """A file that is not a complete shard."""


def write_shard(path: str | Path, rows: Rows, precision: Precision, origin: str = "") -> Shard:
    """Write documents to a temporary file, then rename it; the same documents give the same bytes.

    Args:
        path: The output file.
        rows: The documents.
        precision: How to store the vectors; "int8" with one scale per vector.
        origin: The documents' origin, for ``read_origin``.
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
    # Parquet has no one-byte integers: int8 would take four bytes, but dictionary entries take one.
    dictionary = ["metadata", *(["vector.list.element"] if precision == "int8" else [])]
    write_table(path, table, {_NOTE: origin.encode()}, dictionary)
    return Shard(path.name, len(rows), file_digest(path))


def read_shard(path: str | Path, sha256: str | None = None) -> Rows:
    """Read documents and their vectors, which are converted to float32 from any precision.

    Args:
        path: The file.
        sha256: The expected checksum, verified before parsing; None skips the check.
    """
    path = Path(path)
    content = path.read_bytes()  # once: the parsed bytes must be the verified ones
    found = hashlib.sha256(content).hexdigest()
    if sha256 not in (None, found):
        raise BadShardError(
            f"{path} is not the file that the manifest names: damaged or changed. Run boolattn encode again with the "
            f"same corpus, model and settings, which repairs the folder"
        )
    try:
        table = read_table(content)
        numbers = table.column("vector").combine_chunks()
        vectors = numbers.flatten().to_numpy(zero_copy_only=False).reshape(len(table), numbers.type.list_size)
        vectors = vectors.astype(np.float32)
        if "scale" in table.column_names:
            vectors *= table.column("scale").to_numpy()[:, None]
        ids, titles, texts, metadata = (table.column(name).to_pylist() for name in ("id", "title", "text", "metadata"))
        decode = msgspec.json.Decoder(dict[str, Value]).decode
        return Rows(ids, titles, texts, vectors, [decode(fields) for fields in metadata], found)
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise BadShardError(f"{path} is not a complete shard: run boolattn encode again ({error})") from error


def read_origin(path: str | Path) -> str:
    """Return the origin stored in a shard."""
    try:
        return read_note(Path(path)).get(_NOTE, b"").decode()
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # an error of the operating system, which says nothing about the content
        raise BadShardError(f"{path} is not a complete shard: run boolattn encode again ({error})") from error


def _stored(vectors: Vectors, precision: Precision) -> tuple[NDArray[Any], NDArray[np.float32] | None]:
    """Return vectors as stored and, for "int8", the scale of each."""
    if precision != "int8":
        return np.ascontiguousarray(vectors, np.dtype(precision)), None
    scales = np.abs(vectors).max(axis=1, initial=0).astype(np.float32) / np.float32(127)
    scales[scales == 0] = 1
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales
