"""ComLQ: complex logical queries, in BEIR's form, with their types."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from boolattn.data.rows.bad_rows import SkipBad
from boolattn.data.rows.jsonl import Filled, read_jsonl


class ComlqQuery(msgspec.Struct, frozen=True, rename={"query_id": "_id"}):
    """One query; its type is a logical form such as ``2in_1``, in which *n* is a negation."""

    query_id: Filled
    text: Filled
    type: Filled

    @property
    def negated(self) -> bool:
        """Whether the query holds a negation."""
        return "n" in self.type


def read_comlq_queries(folder: str | Path, skip: SkipBad | None = None) -> Iterator[ComlqQuery]:
    """Read ``queries.jsonl``; documents and judgements are read as of any BEIR folder."""
    return read_jsonl(Path(folder) / "queries.jsonl", ComlqQuery, skip)
