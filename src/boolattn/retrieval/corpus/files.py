"""The files of a corpus and their rows, in a fixed order."""

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

from boolattn.retrieval.corpus.bad_rows import Place
from boolattn.retrieval.shards.parquet import read_rows

COMPRESSIONS = ("", ".gz", ".zst")


def open_bytes(path: str | Path) -> BinaryIO:
    """Open a file for reading, decompressing it."""
    path = Path(path)
    match path.suffix:
        case ".gz":
            return cast(BinaryIO, gzip.open(path, "rb"))
        case ".zst":
            import zstandard  # only here and below: plain files are read without it

            # Files joined with cat, or written by parallel compressors, contain several frames.
            reader = zstandard.ZstdDecompressor().stream_reader(path.open("rb"), read_across_frames=True, closefd=True)
            return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, reader)))
        case _:
            return path.open("rb")


def numbered_lines(path: str | Path) -> Iterator[tuple[Place, bytes]]:
    """Yield every line as bytes, so that invalid UTF-8 affects only one row."""
    source = str(path)
    number = 0
    damage: tuple[type[Exception], ...] = (EOFError, gzip.BadGzipFile, zlib.error)
    if Path(path).suffix == ".zst":
        import zstandard

        damage += (zstandard.ZstdError,)
    try:
        with open_bytes(path) as stream:
            for number, line in enumerate(stream, start=1):
                yield Place(source, number), line
    except damage as error:
        raise OSError(f"{source} is damaged after line {number} ({error}): download or compress it again.") from error


def filled_lines(path: str | Path) -> Iterator[tuple[Place, bytes]]:
    """Yield every line that is not blank."""
    return ((place, line) for place, line in numbered_lines(path) if not line.isspace())


Row: TypeAlias = bytes | dict[str, Any]
"""A line of JSON, still unparsed so that skipping it is cheap, or a Parquet row."""

_LINES = tuple(f".jsonl{compression}" for compression in COMPRESSIONS)
_FORMATS = (*_LINES, ".parquet")
_BEIR = tuple(f"corpus{suffix}" for suffix in _LINES)


def rows_of(corpus: Path) -> Iterator[tuple[Place, Row]]:
    """Yield the rows of a file, of a BEIR folder's corpus, or of all files in a folder, by name."""
    return (row for path in corpus_files(corpus) for row in _rows(path))


def corpus_files(corpus: Path) -> list[Path]:
    """Return the files that make up a corpus."""
    if corpus.is_dir():
        # A BEIR folder also contains queries and qrels.
        beir = [corpus / name for name in _BEIR if (corpus / name).is_file()]
        files = beir[:1] or sorted(path for path in corpus.iterdir() if path.name.endswith(_FORMATS))
        if not files:
            raise FileNotFoundError(f"the folder {corpus} contains no document files ({', '.join(_FORMATS)})")
        return files
    if not corpus.is_file():
        raise FileNotFoundError(f"there is no file or folder {corpus}")
    if not corpus.name.endswith(_FORMATS):
        raise ValueError(f"{corpus} has an unknown format: use a file that ends in one of {', '.join(_FORMATS)}")
    return [corpus]


def _rows(path: Path) -> Iterator[tuple[Place, Row]]:
    if path.name.endswith(_LINES):
        yield from filled_lines(path)
    else:
        for number, row in enumerate(read_rows(path), start=1):
            yield Place(str(path), number, "row"), row
