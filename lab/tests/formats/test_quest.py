from lab.tests.formats.fixture_files import FIXTURES

from boolattn_lab.formats import QuestQuery, read_quest_queries


def test_marks_are_kept_raw():
    query, unmarked = read_quest_queries(FIXTURES / "quest_queries.jsonl")
    assert query == QuestQuery(
        query="Paper boats that nobody has sailed",
        docs=("Blue boat", 'Folded "swan"'),
        template="_ that are not _",
        original_query="<mark>Paper boats</mark> that are not <mark>Sailed boats</mark>",
        domain="boats",
    )
    assert unmarked.original_query is None
    assert unmarked.docs == ()


def test_limit_plus_has_no_domain():
    (query,) = read_quest_queries(FIXTURES / "limit_plus_queries.jsonl")
    assert query.template == "_ that are not _"
    assert query.docs == ("Ada Quill",)
    assert query.domain is None
