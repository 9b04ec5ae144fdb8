"""Indexes a folder in small batches and reports each call to the index; a test may kill it: FOLDER URI."""

import sys
from typing import Any

from boolattn.retrieval.index import fill as indexing
from boolattn.retrieval.index.open_index import open_index


class Aloud:
    def __init__(self, index: Any) -> None:
        self.index = index

    def __getattr__(self, name: str) -> Any:
        print(name, flush=True)
        if name == "unpublished":
            return lambda: Aloud(self.index.unpublished())
        return getattr(self.index, name)


if __name__ == "__main__":
    indexing.WRITTEN_AT_ONCE = 50
    indexing.index_folder(sys.argv[1], Aloud(open_index(sys.argv[2])), progress=False)
