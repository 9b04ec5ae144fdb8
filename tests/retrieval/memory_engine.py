"""An exact engine in memory: every vector is compared, every word counted."""

from collections import Counter
from collections.abc import Sequence
from operator import eq, ge, gt, le, lt, ne

import bm25s
import numpy as np
import Stemmer

from boolattn.retrieval.index.protocol import Condition, Hit, IndexDescription, Rows, Vectors, WrongIndexError

_COMPARISONS = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge, "in": lambda value, among: value in among}


class MemoryEngine:
    """Holds everything; ``asked`` keeps a record of what it was asked."""

    def __init__(self, has_text: bool = True) -> None:
        self.has_text = has_text
        self.asked: list[tuple[str, object]] = []
        self._description: IndexDescription | None = None
        self._documents: dict[str, tuple] = {}

    def create(self, description: IndexDescription) -> None:
        self._description = description

    def describe(self) -> IndexDescription:
        if self._description is None:
            raise WrongIndexError("there is no index")
        return self._description

    def upsert(self, rows: Rows) -> None:
        columns = (rows.titles, rows.texts, rows.vectors, rows.metadata, [rows.shard] * len(rows))
        self._documents |= dict(zip(rows.ids, zip(*columns, strict=True), strict=True))

    def delete(self, ids: Sequence[str]) -> None:
        for doc_id in ids:
            self._documents.pop(doc_id, None)

    def settle(self) -> None:
        pass

    def search(self, vector: Vectors, k: int, where: Sequence[Condition] = ()) -> list[Hit]:
        self.asked.append(("search", k))
        return _best({doc_id: float(self._documents[doc_id][2] @ vector) for doc_id in self._where(where)}, k)

    def search_text(self, text: str, k: int, where: Sequence[Condition] = ()) -> list[Hit]:
        self.asked.append(("search_text", text))
        assert self.has_text
        ids = self._where(where)
        if not ids:
            return []
        tokenize = {"stopwords": "en", "stemmer": Stemmer.Stemmer("english"), "show_progress": False}
        index = bm25s.BM25()
        index.index(
            bm25s.tokenize(["{} {}".format(*self._documents[doc_id]) for doc_id in ids], **tokenize),
            show_progress=False,
        )
        words = bm25s.tokenize([text], return_ids=False, **tokenize)[0]
        known = [word for word in words if word in index.vocab_dict]
        scores = index.get_scores(known) if known else np.zeros(len(ids))
        return _best({doc_id: float(score) for doc_id, score in zip(ids, scores, strict=True) if score > 0}, k)

    def fetch(self, ids: Sequence[str]) -> Rows:
        self.asked.append(("fetch", len(ids)))
        known = [doc_id for doc_id in ids if doc_id in self._documents]
        titles, texts, vectors, metadata = ([self._documents[doc_id][part] for doc_id in known] for part in range(4))
        return Rows(known, titles, texts, np.array(vectors).reshape(-1, self.describe().dimension), metadata)

    def shards(self) -> dict[str, int]:
        return dict(Counter(document[4] for document in self._documents.values()))

    def count(self) -> int:
        return len(self._documents)

    def drop(self) -> None:
        self._documents, self._description = {}, None

    def close(self) -> None:
        pass

    def _where(self, where: Sequence[Condition]) -> list[str]:
        return [
            doc_id
            for doc_id, (_, _, _, fields, _) in self._documents.items()
            if all(
                each.name in fields and _COMPARISONS[each.comparison](fields[each.name], each.value) for each in where
            )
        ]


def _best(scores: dict[str, float], k: int) -> list[Hit]:
    return [Hit(*each) for each in sorted(scores.items(), key=lambda each: -each[1])[:k]]
