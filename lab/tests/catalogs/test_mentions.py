from itertools import islice

from boolattn_lab.catalogs.generator import generate
from boolattn_lab.catalogs.mentions import mentions_catalog

PLACES = ["Lake Superior", "Ontario (province)", "Isle Royale", "The", "Rome"]

EVERY = {"Lake Superior": 30, "Ontario": 50, "Isle Royale": 60}


def catalog():
    titles = [*PLACES, *(f"Page {number}" for number in range(400))]
    texts = ["", "", "", "", ""]
    for number in range(400):
        mentioned = [name for name, every in EVERY.items() if number % every == 0]
        texts.append(f"The page {number} is about {' , '.join(mentioned)} , not Romeo or lake superior .")
    return mentions_catalog(titles, texts)


def test_pages_have_the_names_their_text_mentions():
    found = catalog()
    assert {atom.value for atom in found.atoms} == {"Lake Superior", "Ontario", "Isle Royale"}
    pages = set(found.ids_of(found.members[found.atom("mention", "Lake Superior")]))
    assert pages == {f"Page {number}" for number in range(0, 400, 30)}


def test_a_name_within_a_word_or_a_longer_name_is_not_mentioned():
    texts = ["Romeo met Rome", "in New Rome", "York", "New York"] * 100
    titles = ["Rome", "New Rome", "York", *(f"x{number}" for number in range(len(texts) - 3))]
    found = mentions_catalog(titles, texts[:20] + [""] * (len(texts) - 20))
    counts = {atom.value: len(found.members[atom]) for atom in found.atoms}
    assert counts == {"Rome": 5, "New Rome": 5, "York": 10}


def test_very_frequent_and_very_rare_names_are_not_attributes():
    titles = ["Everywhere", "Seldom", *(f"x{number}" for number in range(98))]
    texts = ["Everywhere"] * 96 + ["Everywhere and Seldom"] * 4
    assert mentions_catalog(titles, texts).atoms == ()


def test_queries_about_pages_are_worded_and_answered():
    found = catalog()
    for query in islice(generate(found, seed=0, templates=["_ that are not _"], minimum=1), 5):
        assert any(head in query.text.lower() for head in found.heads)
        assert query.answers and query.near_misses and not query.answers & query.near_misses
