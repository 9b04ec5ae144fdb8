from boolattn_lab.catalogs.passages import passage_queries, sentences_of
from boolattn_lab.formats.records import Document

PAGES = [
    Document("Algoma", "Algoma", "Algoma was a ship . It sank near Isle Royale . Divers found it in 1903 ."),
    Document("Isle Royale", "Isle Royale", "Isle Royale lies in Lake Superior . Wolves live there . Few people do ."),
    Document("Lake Superior", "Lake Superior", "Lake Superior is deep . It is cold . Michigan lies south of it ."),
    Document("Michigan", "Michigan", "Michigan is a state . It has many lakes ."),
]
SEEDS = range(60)


def asked(subject):
    found = [query for seed in SEEDS for query in passage_queries(PAGES, seed) if subject in query.text]
    return [query for query in found if query.answers[0].startswith(subject)]


def test_exclusions_are_labelled_exactly():
    excluding = [query for query in asked("Algoma") if query.scope]
    assert len(excluding) > len(SEEDS) / 4
    for query in excluding:
        assert "Isle Royale" in query.scope.of(query.text)
        assert query.cue.end <= query.scope.start
        assert query.text.count("Isle Royale") == 1
    assert len({query.cue.of(query.text) for query in excluding}) > 4


def test_answers_are_the_sentences_of_the_page_that_do_not_mention_it():
    for query in asked("Algoma"):
        if query.scope:
            assert query.unwanted == ("Algoma#1",)
            assert query.answers == ("Algoma#0", "Algoma#2")
        else:
            assert not query.unwanted and len(query.answers) == 3 and query.cue is None


def test_some_queries_exclude_nothing():
    assert 0 < sum(query.scope is None for query in asked("Algoma")) < len(SEEDS) / 4


def test_short_pages_and_pages_without_mentions_are_skipped():
    assert not asked("Michigan")


def test_other_subjects_are_not_mentioned_by_the_page():
    others = [title for query in asked("Algoma") for title in ("Lake Superior", "Michigan") if title in query.text]
    assert {"Lake Superior", "Michigan"} == set(others)


def test_the_same_seed_gives_the_same_queries():
    assert list(passage_queries(PAGES, 3)) == list(passage_queries(PAGES, 3)) != list(passage_queries(PAGES, 4))


def test_sentences_come_after_the_title():
    assert sentences_of(PAGES[0])["Algoma#1"] == "Algoma. It sank near Isle Royale"
