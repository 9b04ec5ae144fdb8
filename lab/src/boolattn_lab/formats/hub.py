"""Rows of datasets on the Hugging Face Hub, or in a local copy."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from boolattn.retrieval.corpus.bad_rows import Place
from boolattn_lab.formats.jsonl import check_row, read_jsonl
from boolattn_lab.formats.skipping import SkipBad, keep_good

Shape = TypeVar("Shape")

_BUILDERS = {".json": "json", ".parquet": "parquet"}


def read_hub(
    source: str | Path, shape: type[Shape], *, config: str | None, split: str, skip: SkipBad | None = None
) -> Iterator[Shape]:
    """Yield one validated object per row.

    Args:
        source: Name of a dataset on the Hub, which is downloaded once and then read from the local cache; or a folder
            with a copy of it; or a single ``.jsonl``, ``.json`` or ``.parquet`` file with the rows.
        shape: The required fields, as for ``read_jsonl``.
        config: Name of the dataset's configuration, if it has several.
        split: Name of the split.
        skip: Skips and counts bad rows; None raises at the first one.
    """
    path = Path(source)
    if path.is_file() and ".jsonl" in path.suffixes:
        return read_jsonl(path, shape, skip)
    rows = ((Place(str(source), number, "row"), row) for number, row in enumerate(_rows(source, config, split), 1))
    return keep_good(rows, partial(check_row, shape=shape), skip)


def _rows(source: str | Path, config: str | None, split: str) -> Iterator[Any]:
    from datasets import load_dataset  # here: it takes seconds to import

    path = Path(source)
    if path.is_dir():
        yield from load_dataset(str(path), name=config, split=split, streaming=True)
    elif path.is_file():
        if path.suffix not in _BUILDERS:
            raise ValueError(f"{path} has an unknown format: use a .jsonl, .json or .parquet file.")
        yield from load_dataset(_BUILDERS[path.suffix], data_files=str(path), split="train", streaming=True)
    else:
        try:
            dataset = load_dataset(str(source), name=config, split=split)
        except OSError as error:
            raise FileNotFoundError(
                f"{source} is neither a local file or folder nor a dataset available from the Hub or its cache. "
                "Pass the path of a local copy, or connect to the internet once to download it."
            ) from error
        yield from dataset
