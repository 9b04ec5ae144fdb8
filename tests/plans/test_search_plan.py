import pytest

from boolattn.plans.search_plan import alternatives, has_operators, search_plan
from boolattn.reading.options import ReadingOptions
from boolattn.reading.syntax import parse


def planned(query, documents, **options):
    options = ReadingOptions("rules", documents, **options)
    return str(search_plan(options.applied(options.read([query])[0]), options))


@pytest.mark.parametrize(
    ("query", "plan"),
    [
        ("celery and potato soup", "celery AND potato AND soup"),
        ("spinach & herb dip", "spinach AND herb AND dip"),
        ("cake w/ nuts", "cake AND nuts"),
        ("potatoes with salt and pepper", "potatoes with salt and pepper"),
        ("what is the difference between jam and jelly", "what is the difference between jam and jelly"),
        ("potato soup", "potato soup"),
    ],
)
def test_things_are_asked_for_by_each_joined_word_but_not_by_names_and_questions(query, plan):
    assert planned(query, "things") == plan
    assert planned(query, "pages") == query


def test_over_pages_and_counts_next_to_an_exclusion_and_in_explicit_syntax():
    assert not has_operators(parse(planned("films with war and love", "pages")))
    assert planned("films about war and love but not death", "pages") == "films AND war AND love NOT death"
    assert planned("war AND love", "pages", syntax=True) == "war AND love"


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("cookies (walnuts OR raisins)", ["cookies walnuts", "cookies raisins"]),
        ("opera OR ballet", ["opera", "ballet"]),
        ("(opera OR ballet) NOT war", ["opera", "ballet"]),
        ("opera AND ballet", []),
        ("opera", []),
    ],
)
def test_alternatives_keep_what_they_share(query, texts):
    assert alternatives(parse(query)) == texts


def test_nothing_is_planned_where_nothing_is_acted_on():
    assert planned("celery and potato soup", "things", act=False) == "celery and potato soup"
    assert planned("films with war or love", "things", act=False) == "films with war or love"
    options = ReadingOptions("rules", "things")
    [named] = options.read(["celery and potato soup"], [])
    assert not has_operators(search_plan(named, options)), "the caller says that it excludes nothing"
