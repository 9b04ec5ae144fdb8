"""Indexes a folder in small batches and says what it asks of the engine; a test may kill it: FOLDER URI."""

import sys
from typing import Any

from boolattn.retrieval.index import fill as indexing
from boolattn.retrieval.index.opening import open_engine


class Aloud:
    def __init__(self, engine: Any) -> None:
        self.engine = engine

    def __getattr__(self, name: str) -> Any:
        print(name, flush=True)
        return getattr(self.engine, name)


if __name__ == "__main__":
    indexing.WRITTEN_AT_ONCE = 50
    indexing.index_folder(sys.argv[1], Aloud(open_engine(sys.argv[2])), progress=False)
