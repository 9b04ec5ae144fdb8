from boolattn.data import Film, read_films
from tests.data.fixture_files import FIXTURES


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
