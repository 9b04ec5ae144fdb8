"""Labels of queries that may not be redistributed: by the query's hash, with character ranges."""

import hashlib
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Literal

import msgspec

from boolattn.reading.reading import Documents
from boolattn_lab.formats.folder import DataFolder
from boolattn_lab.formats.jsonl import read_jsonl
from boolattn_lab.formats.query_labels import QueryLabels, read_query_labels

LABELS = Path(str(files("boolattn_lab").joinpath("reader", "labels")))


class HashedLabels(msgspec.Struct, frozen=True):
    """The labels of one query; see ``QueryLabels``."""

    sha256: str
    kind: Literal["topic", "property", "none"]
    excluded: list[tuple[int, int]] = []
    soft: bool = False
    documents: Documents | None = None

    def of(self, query: str) -> QueryLabels:
        """Return the labels with the query's own words."""
        excluded = tuple(query[start:end] for start, end in self.excluded)
        return QueryLabels(query, excluded, self.soft, self.kind, self.documents)


def digest(query: str) -> str:
    """Return the name in label files of a query that may not be redistributed."""
    return hashlib.sha256(query.encode()).hexdigest()


def measures_only(query: str) -> bool:
    """Whether an unlabelled query belongs to the half that nothing is trained on."""
    return int(digest(query)[:8], 16) % 2 == 0


def read_hashed_labels(path: Path) -> dict[str, HashedLabels]:
    """Return the labels by hash."""
    return {row.sha256: row for row in read_jsonl(path, HashedLabels)}


def labelled_among(queries: Iterable[str], path: Path) -> Iterator[QueryLabels]:
    """Yield those queries, once each, that a file of hashed labels labels."""
    labels = read_hashed_labels(path)
    for query in dict.fromkeys(queries):
        if (found := labels.get(digest(query))) is not None:
            yield found.of(query)


def read_requests(data: DataFolder) -> Iterator[QueryLabels]:
    """Read the labelled requests: those that come with labels, and those labelled here, by hash."""
    folder = data.path / "requests"
    queries = (row.query for row in read_query_labels(folder / "unlabelled.jsonl", data.skip))
    hashed = labelled_among(queries, LABELS / "requests.jsonl")
    return chain(read_query_labels(folder / "labelled.jsonl", data.skip), hashed)
