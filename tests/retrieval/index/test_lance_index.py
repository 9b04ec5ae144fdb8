"""LanceDB's vector index: built when worthwhile, of the right kind, and kept up to date."""

import lancedb
import pytest

from boolattn.retrieval.index.lance.lance_index import FLAT_UP_TO
from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import IndexDescription
from tests.retrieval.index.films import films


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_a_table_past_the_flat_limit_gets_a_vector_index(tmp_path, similarity):
    index = open_index(f"lance://{tmp_path}/films")
    index.create(IndexDescription("0123abcd", "a model", 4, similarity))
    rows = films([str(n) for n in range(FLAT_UP_TO)])
    index.upsert(rows)
    index.settle()
    assert stats_of(tmp_path) is None
    for more in (["one more"], ["another"]):
        index.upsert(films(more, seed=1))
        index.settle()
        stats = stats_of(tmp_path)
        assert (stats.distance_type, stats.index_type, stats.num_unindexed_rows) == (similarity, "IVF_HNSW_SQ", 0)
    assert index.search(rows.vectors[7], 1)[0].doc_id == "7"
    # The index has rounded vectors; scores are those of the exact ones.
    assert index.search(rows.vectors[7], 1)[0].score == pytest.approx(1, abs=1e-6)


def stats_of(folder):
    return lancedb.connect(folder).open_table("films").index_stats("vector_idx")
