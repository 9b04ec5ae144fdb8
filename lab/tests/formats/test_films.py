from lab.tests.formats.fixture_files import FIXTURES

from boolattn_lab.formats import Film, read_films


def test_films():
    boat, kite = read_films(FIXTURES / "films.jsonl")
    assert boat == Film(
        title="The Paper Boat",
        year=1931,
        cast=("Ada Quill", "Ben Reed"),
        genres=("Comedy", "Silent"),
        href="The_Paper_Boat",
        extract="The Paper Boat is a comedy about a boat of paper.",
    )
    assert kite.cast == kite.genres == ()
