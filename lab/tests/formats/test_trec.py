import ir_measures
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ir_measures import RR, R, nDCG
from lab.tests.formats.fixture_files import FIXTURES

from boolattn_lab.formats import Qrel, RunEntry, read_trec_qrels, read_trec_run, write_trec_qrels, write_trec_run

RUN = [
    RunEntry("q1", "d1", 1, 12.5, "bm25"),
    RunEntry("q1", "d2", 2, -0.25, "bm25"),
    RunEntry("q2", "Ada Quill", 1, 3e-05, "bm25"),
]
QRELS = [Qrel("q1", "d1", 2), Qrel("q2", "Ada Quill", 0)]

names = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    st.text("% \u00a0\u2028\u3000\n\t25ACabé", min_size=1),
)


def test_official_lines():
    assert list(read_trec_run(FIXTURES / "run.trec")) == RUN
    assert list(read_trec_qrels(FIXTURES / "qrels.trec")) == QRELS


@given(st.lists(st.builds(RunEntry, names, names, st.integers(), st.floats(allow_nan=False), names)))
def test_runs_round_trip(tmp_path_factory, entries):
    path = tmp_path_factory.getbasetemp() / "run.trec"
    write_trec_run(path, entries)
    assert list(read_trec_run(path)) == entries
    assert [row.score for row in ir_measures.read_trec_run(str(path))] == [entry.score for entry in entries]


@given(st.lists(st.builds(Qrel, names, names, st.integers())))
@example([Qrel("a b", "a%20b", 1), Qrel("50%25", "%C2%A0", 0)])
def test_judgements_round_trip(tmp_path_factory, qrels):
    path = tmp_path_factory.getbasetemp() / "qrels.trec"
    write_trec_qrels(path, qrels)
    assert list(read_trec_qrels(path)) == qrels
    assert [row.relevance for row in ir_measures.read_trec_qrels(str(path))] == [qrel.relevance for qrel in qrels]


@pytest.mark.parametrize("name", ["d1", "https://example.org/Caf%C3%A9", "100%", "a_b-c.d", "日本"])
def test_ids_without_white_space_are_written_unchanged(tmp_path, name):
    path = tmp_path / "qrels.trec"
    write_trec_qrels(path, [Qrel(name, name, 1)])
    assert path.read_text(encoding="utf-8") == f"{name} 0 {name} 1\n"


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_ir_measures_reads_what_we_write(tmp_path, suffix):
    run = [
        RunEntry("a query", "Ada Quill", 1, 3.0, "a system"),
        RunEntry("a query", "Ben Reed", 2, 2.0, "a system"),
        RunEntry("q2", "Ada Quill", 1, 0.5, "a system"),
    ]
    qrels = [Qrel("a query", "Ben Reed", 1), Qrel("a query", "Cy Poe", 1), Qrel("q2", "Ada Quill", 1)]
    run_path, qrels_path = str(tmp_path / f"run{suffix}"), str(tmp_path / f"qrels{suffix}")
    write_trec_run(run_path, run)
    write_trec_qrels(qrels_path, qrels)
    measures = [RR @ 10, R @ 10, nDCG @ 10]
    theirs = ir_measures.calc_aggregate(
        measures, ir_measures.read_trec_qrels(qrels_path), ir_measures.read_trec_run(run_path)
    )
    ours = ir_measures.calc_aggregate(measures, read_trec_qrels(qrels_path), read_trec_run(run_path))
    assert theirs == ours
    assert theirs[RR @ 10] == (1 / 2 + 1) / 2
    assert theirs[R @ 10] == (1 / 2 + 1) / 2
    ndcg = (1 / np.log2(3)) / (1 + 1 / np.log2(3))
    assert theirs[nDCG @ 10] == pytest.approx((ndcg + 1) / 2, abs=1e-12)


def test_scores_of_numpy_are_numbers_in_the_file(tmp_path):
    path = tmp_path / "run.trec"
    write_trec_run(path, [RunEntry("q1", "d1", 1, np.float32(0.1), "dense")])
    assert next(read_trec_run(path)).score == float(np.float32(0.1))


def test_an_empty_id_cannot_be_written(tmp_path):
    with pytest.raises(ValueError, match="empty ID"):
        write_trec_qrels(tmp_path / "qrels.trec", [Qrel("q1", "", 1)])
