from lab.tests.formats.fixture_files import FIXTURES

from boolattn_lab.formats import DebianPackage, DebianTerm, read_debian_packages, read_debian_vocabulary


def test_packages():
    boat, kite = read_debian_packages(FIXTURES / "debian_packages.jsonl")
    assert boat == DebianPackage(
        name="paperboat",
        short="folds boats",
        long="Folds boats\nof paper.",
        section="games",
        tags=("game::toys", "role::program"),
        homepage="https://example.org/paperboat",
        source="paperboat",
    )
    assert kite.tags == ()


def test_vocabulary_has_facets_and_tags():
    facet, tag = read_debian_vocabulary(FIXTURES / "debian_vocabulary.txt")
    assert facet == DebianTerm("game", "Games and Amusement", "")
    assert tag == DebianTerm(
        "game::toys",
        "Toys or Gimmicks",
        "Things to play with: kites, tops\nand boats.\n\nThey have no rules.",
    )
