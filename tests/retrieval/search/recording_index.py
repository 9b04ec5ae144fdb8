"""An index that records its calls."""

from collections.abc import Sequence

from boolattn.retrieval.index.memory import MemoryIndex
from boolattn.retrieval.index.protocol import Filter, Hit, Rows, Vectors


class RecordingIndex(MemoryIndex):
    def __init__(self, has_text: bool = True) -> None:
        super().__init__()
        self.has_text = has_text
        self.asked: list[tuple[str, object]] = []

    def search(self, vector: Vectors, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        self.asked.append(("search", k))
        return super().search(vector, k, where)

    def nearest(self, vectors: Vectors, k: int, where: Sequence[Filter] = ()) -> Rows:
        self.asked.append(("nearest", k))
        hits = [hit for vector in vectors for hit in MemoryIndex.search(self, vector, k, where)]
        return MemoryIndex.fetch(self, [hit.doc_id for hit in hits])

    def search_text(self, text: str, k: int, where: Sequence[Filter] = ()) -> list[Hit]:
        self.asked.append(("search_text", text))
        assert self.has_text
        return super().search_text(text, k, where)

    def fetch(self, ids: Sequence[str]) -> Rows:
        self.asked.append(("fetch", len(ids)))
        return super().fetch(ids)
