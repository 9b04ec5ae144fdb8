from boolattn_lab.formats import ComlqQuery, read_comlq_queries


def test_queries_record_whether_they_are_negated(tmp_path):
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "7", "text": "Who is not?", "type": "2in_1"}\n{"_id": "8", "text": "Who?", "type": "2u"}\n'
    )
    first, second = read_comlq_queries(tmp_path)
    assert first == ComlqQuery("7", "Who is not?", "2in_1")
    assert first.negated
    assert not second.negated
