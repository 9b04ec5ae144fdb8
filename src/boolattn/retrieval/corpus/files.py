"""The files of a corpus and their rows, in a fixed order."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from boolattn.data.rows.bad_rows import Place
from boolattn.data.rows.lines import COMPRESSIONS, filled_lines
from boolattn.retrieval.vectors.parquet import read_rows

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
