"""Every loader reports a bad row by file, line and field, and can skip and count it."""

import pickle

import pytest
from lab.tests.formats.fixture_files import FIXTURES

from boolattn_lab.formats import (
    BadRowError,
    Place,
    SkipBad,
    read_beir_corpus,
    read_beir_qrels,
    read_beir_queries,
    read_boolquestions_corpus,
    read_cdsco,
    read_debian_packages,
    read_debian_vocabulary,
    read_films,
    read_nevir,
    read_pages,
    read_quest_queries,
    read_recipes,
    read_setbert_triples,
    read_trec_qrels,
    read_trec_run,
)

BAD_ROWS = [
    (
        read_quest_queries,
        "quest_queries.jsonl",
        '{"query": "a", "docs": [], "metadata": {"domain": "b"}}',
        "metadata.template",
    ),
    (read_quest_queries, "quest_queries.jsonl", '{"query": "a", "docs": "b", "metadata": {"template": "_"}}', "docs"),
    (
        read_quest_queries,
        "quest_queries.jsonl",
        '{"query": "a", "docs": ["b", 3], "metadata": {"template": "_"}}',
        "docs",
    ),
    (read_quest_queries, "quest_queries.jsonl", '{"query": "", "docs": [], "metadata": {"template": "_"}}', "query"),
    (read_pages, "pages.jsonl", '{"title": "a"', "whole row"),
    (read_pages, "pages.jsonl", '["a", "b"]', "whole row"),
    (read_pages, "pages.jsonl", b'{"title": "a", "text": "\xff"}', "whole row"),
    (read_pages, "pages.jsonl", '{"title": "a", "text": null}', "text"),
    (read_setbert_triples, "setbert_not.jsonl", '{"G": "a", "P": ["b"]}', "N"),
    (
        read_films,
        "films.jsonl",
        '{"title": "a", "year": "1931", "cast": [], "genres": [], "href": "", "extract": ""}',
        "year",
    ),
    (read_recipes, "recipes.jsonl", '{"id": "a", "title": "b", "ingredients": "salt", "source": ""}', "ingredients"),
    (read_debian_packages, "debian_packages.jsonl", '{"name": "a", "short": "", "long": "", "section": ""}', "tags"),
    (read_debian_vocabulary, "debian_vocabulary.txt", "Description: of nothing", "Tag"),
    (read_debian_vocabulary, "debian_vocabulary.txt", "Tag: game::nothing", "Description"),
    (read_cdsco, "cdsco.txt", "\nharbour01\t2\t0\tNo\tno\tDT\t*", "whole row"),
    (read_cdsco, "cdsco.txt", "\nharbour01\t2\t0\tNo\tno\tDT\t*\tNo\t_", "whole row"),
    (read_cdsco, "cdsco.txt", "\nharbour01\t2\t0\tNo\tno\tDT\t*\tnot\t_\t_", "cue"),
    (read_cdsco, "cdsco.txt", "\nharbour01\ttwo\t0\tNo\tno\tDT\t*\t***", "sentence"),
    (read_trec_run, "run.trec", "q3 Q0 d1 1 bm25", "whole row"),
    (read_trec_run, "run.trec", "q3 Q0 d1 first 1.0 bm25", "rank"),
    (read_trec_run, "run.trec", "q3 Q0 d1 1 high bm25", "score"),
    (read_trec_run, "run.trec", b"q3 Q0 d\xff 1 1.0 bm25", "whole row"),
    (read_trec_qrels, "qrels.trec", "q3 0 d1 yes", "relevance"),
    (lambda path, skip: read_beir_corpus(path.parent, skip), "beir/corpus.jsonl", '{"_id": 5, "text": ""}', "_id"),
    (lambda path, skip: read_beir_queries(path.parent, skip), "beir/queries.jsonl", '{"_id": "q3"}', "text"),
    (lambda path, skip: read_beir_qrels(path.parent, skip=skip), "beir_flat/qrels.tsv", "q3\t0\td1\t1", "whole row"),
    (lambda path, skip: read_beir_qrels(path.parent, skip=skip), "beir_flat/qrels.tsv", "q3\t\t1", "corpus-id"),
    (lambda path, skip: read_beir_qrels(path.parent, skip=skip), "beir_flat/qrels.tsv", "q3\td1\tyes", "score"),
    (
        lambda path, skip: read_beir_qrels(path.parent, skip=skip),
        "beir_jsonl/qrels.jsonl",
        '{"query-id": "a"}',
        "corpus-id",
    ),
    (
        lambda path, skip: read_boolquestions_corpus("MSMARCO", path, skip),
        "boolquestions/MSMARCO/corpus.jsonl",
        '{"docid": 14}',
        "doc",
    ),
    (
        lambda path, skip: read_nevir("test", path, skip),
        "nevir/test.jsonl",
        '{"q1": "a", "q2": "b", "doc1": "c"}',
        "doc2",
    ),
]


@pytest.mark.parametrize(("read", "name", "bad", "field"), BAD_ROWS)
def test_bad_row_between_good_ones(tmp_path, read, name, bad, field):
    good = (FIXTURES / name).read_bytes().rstrip(b"\n") + b"\n"
    bad = bad if isinstance(bad, bytes) else bad.encode()
    blank = b"\n" if name.endswith(".txt") else b""
    path = tmp_path / name.rpartition("/")[2]
    path.write_bytes(good + blank + bad + b"\n" + blank + good)
    line = (good + blank + bad).count(b"\n") + 1

    with pytest.raises(BadRowError) as caught:
        list(read(path, None))
    assert caught.value.place == Place(str(path), line, "line")
    assert caught.value.field == field
    assert f"{path}, line {line}, field '{field}': " in str(caught.value)

    skip = SkipBad()
    rows = list(read(path, skip))
    path.write_bytes(good)
    once = list(read(path, None))
    assert once and rows == once + once
    assert skip.counts == {(str(path), field): 1}
    assert skip.total == 1


def test_one_counter_serves_many_files(tmp_path):
    skip = SkipBad()
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text('{"title": "a"}\n{"title": "", "text": "b"}\n{"title": "c"}\n')
        assert list(read_pages(tmp_path / name, skip)) == []
    assert skip.total == 6
    assert skip.counts[str(tmp_path / "b.jsonl"), "text"] == 2
    assert skip.counts[str(tmp_path / "b.jsonl"), "title"] == 1


def test_the_error_survives_a_worker_process():
    error = BadRowError(Place("a.jsonl", 3), "docs", "expected a list")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
